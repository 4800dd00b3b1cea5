// A recorded match, played as if a server told it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "content/arena/game/followed_match.h"
#include "net/replication/recording.h"
#include "registry/base/result.h"

namespace arena {

/// The bytes of a recording. Fails with `io`.
muster::Result<std::vector<std::byte>> read_recording(const std::string& path);

/// Plays tick after tick, as fast as it is asked to: its time is the recording's. One thread at a
/// time.
///
///     while (replay.step()) show(replay.take_lines());
class MatchReplay {
 public:
  struct Options {
    double from_seconds = 0;  ///< Into the recording.
  };
  /// Shows the first tick. Fails with `malformed` when `file` is no recording of this game, with
  /// `truncated` when no tick of it is there, with `hash_mismatch` when it is of other content,
  /// with `not_found` when it ends before `from_seconds`, and as `FollowedMatch::open` does. All
  /// must outlive the replay. Waits for the level.
  static muster::Result<std::unique_ptr<MatchReplay>> open(muster::BundleStore& store,
                                                           muster::BundleLoader& loader,
                                                           std::span<const std::byte> file,
                                                           const Options& options);

  /// Plays the next tick that was recorded. False when there is none.
  bool step();
  /// Of the recording, since the first tick that was shown.
  muster::Duration played() const { return time_of(tick()) - time_of(first_tick_); }
  std::uint32_t first_tick() const { return first_tick_; }
  std::uint32_t tick() const { return reader_->tick(); }
  /// Ticks that were played.
  std::uint32_t tick_count() const { return tick_count_; }
  /// Why there is no more, for a person, when that is not the recording's end.
  std::optional<std::string> complaint() const;

  WorldValues world() const { return match_->world(reader_->schema()); }
  const MatchSummary& summary() const { return match_->summary(); }
  std::uint64_t shown_count() const { return match_->shown_count(); }
  const muster::EffectCounters& effects() const { return match_->effects(); }
  std::vector<std::string> take_lines() { return match_->take_lines(); }
  std::vector<std::string> take_problems() { return match_->take_problems(); }

 private:
  MatchReplay(std::unique_ptr<FollowedMatch> match, std::unique_ptr<muster::RecordingReader> reader)
      : match_(std::move(match)), reader_(std::move(reader)) {}
  muster::Result<void> begin(const Options& options, const muster::Agreement& agreement);
  void show();
  muster::Time time_of(std::uint32_t tick) const;

  std::unique_ptr<FollowedMatch> match_;
  std::unique_ptr<muster::RecordingReader> reader_;
  muster::RecordingStatus status_ = muster::RecordingStatus::tick;
  std::uint32_t first_tick_ = 0;
  std::uint32_t tick_count_ = 0;
};

}  // namespace arena
