// A match in a file: what the server replicated, tick by tick, for replays and for training.
#pragma once

#include <memory>
#include <string>

#include "content/arena/game/arena_server.h"
#include "content/arena/game/output_file.h"
#include "net/replication/recording.h"
#include "registry/base/result.h"

namespace arena {

/// Adds what tells a match of this server from others. Requires: nothing was added before.
void begin_match(muster::RecordingWriter& recording, const ArenaServer& server);

/// Records a server from now on, until it is destroyed. Must not outlive the server.
class MatchRecording {
 public:
  /// Creates the file, or empties it. Fails with `io`.
  static muster::Result<std::unique_ptr<MatchRecording>> create(const std::string& path,
                                                                ArenaServer& server);
  ~MatchRecording();

  /// Hands to the system what has happened: it is in the file though the program is killed. What
  /// the disk does not take is told when that is seen.
  muster::Result<void> write();
  /// Ends the file, with an index.
  muster::Result<void> finish();

 private:
  MatchRecording(OutputFile file, ArenaServer& server);

  OutputFile file_;
  ArenaServer& server_;
  muster::RecordingWriter writer_;
};

}  // namespace arena
