// Writes a server's world and messages to a recording file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/replication/recording.h"
#include "net/secure/handshake.h"
#include "registry/base/guid.h"
#include "registry/base/result.h"
#include "registry/base/tick.h"
#include "runtime/session/edges.h"

namespace muster {

/// The session's data at the beginning of a recording. The bytes are described in
/// SESSION_FORMAT.md, "Recordings".
struct SessionInfo {
  std::uint64_t application = 0;
  std::uint64_t content = 0;
  std::array<std::byte, 16> level{};   ///< The level's guid; zero for no level.
  std::array<std::byte, 16> placed{};  ///< `Level::placed_hash`.
  std::vector<std::byte> structs{};    ///< `StructEncoder::schema` of the server.
};
std::vector<std::byte> encode(const SessionInfo& info);
std::optional<SessionInfo> decode_session_info(std::span<const std::byte> bytes);

/// Writes a recording while a server runs. If `write` fails, the recording has ended, and the
/// caller must destroy this object.
class SessionRecorder {
 public:
  SessionRecorder(std::unique_ptr<OutputFile> file, std::uint16_t ticks_per_second,
                  const ReplicationSchema& schema, const SessionInfo& info);

  /// Adds the world of a tick. Requires: the tick is later than the tick of the previous call.
  void add(const ReplicatedWorld& world) { writer_.add(world); }
  void add_event(Tick tick, std::span<const std::byte> event) { writer_.add_event(tick, event); }
  Result<void> write();
  Result<void> finish();

 private:
  std::unique_ptr<OutputFile> file_;
  RecordingWriter writer_;
};

}  // namespace muster
