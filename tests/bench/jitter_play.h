// Runs recorded delays through playback rules and measures them.
#pragma once

#include <vector>

#include "tests/bench/delay_file.h"
#include "tests/bench/jitter_rules.h"

namespace muster {

struct PlayOptions {
  double frames_per_second = 60;
  double skip_ms = 5000;  ///< The time from the first packet that is played but not measured.
};

/// A frame, for plots.
struct PlayedFrame {
  double now_ms = 0;
  double shown_behind_ms = 0;   ///< The present minus the shown time.
  double newest_behind_ms = 0;  ///< The present minus the newest snapshot's time of sending.
};

struct PlayResult {
  /// Snapshots whose tick the clock reached before a snapshot of that tick or a newer tick arrived.
  double late_percent = 0;
  double added_ms = 0;  ///< The mean of (present - shown time), minus the file's median delay.
  double beyond_percent = 0;   ///< Frames that show a time after the newest snapshot.
  double stopped_percent = 0;  ///< Frames that show the same time as the previous frame.
  double backward_ms = 0;      ///< The largest step backwards.
  std::vector<PlayedFrame> frames;
};

/// Simulates a client with fixed frames: each frame receives the packets that arrived, then
/// advances the rule's clock.
PlayResult play(const SnapshotSeries& series, PlaybackRule& rule, const PlayOptions& options);

}  // namespace muster
