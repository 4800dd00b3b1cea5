// The server's report about the spawns of a player's commands. It follows each command report.
// SESSION_FORMAT.md, "Command reports".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/sync/predicted_key.h"

namespace muster {

/// Why a server did not spawn an entity.
enum class SpawnRefusal : std::uint8_t {
  none = 0,           ///< It was spawned.
  no_network_id = 1,  ///< All network ids are in use.
  unknown_type = 2,   ///< The server's build does not have the type.
  not_spawned = 3,    ///< The server's systems did not spawn it. Not sent.
};
std::string_view to_string(SpawnRefusal refusal);

/// The spawns of the last commands that a server has run. If a report is lost, the next one lists
/// the same spawns. Keeps its memory. One thread at a time.
class SpawnReport {
 public:
  /// The maximum number of commands, and of spawns, in a report.
  static constexpr std::uint32_t kCommands = 32;
  static constexpr std::size_t kSpawnsMax = 32;

  struct Spawn {
    PredictedKey key;
    SpawnRefusal refusal{};
  };

  /// Server: a shared system has spawned an entity, or failed to.
  void add(const PredictedKey& key, SpawnRefusal refusal);
  /// Server: a command has run. Removes the spawns of commands that are too old.
  void end_command(std::uint32_t number);
  void encode(std::vector<std::byte>& out) const;
  /// Client: reads a report. `newest` is the last command that the client has sent. False if the
  /// bytes are malformed.
  bool decode(std::span<const std::byte> bytes, std::uint32_t newest);

  /// The result of a spawn; nothing while the report does not cover it.
  std::optional<SpawnRefusal> find(const PredictedKey& key) const;

 private:
  std::uint32_t executed_ = 0;  ///< The last command that has run; 0 for none.
  std::uint32_t covered_ = 0;   ///< How many commands, up to `executed_`, are covered.
  std::uint32_t overflow_ = 0;  ///< A command whose spawns did not all fit.
  std::vector<Spawn> spawns_;   ///< By command.
};

}  // namespace muster
