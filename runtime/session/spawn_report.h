// The server's report about the spawns of a player's commands. A spawn report follows each command
// report. The bytes are described in SESSION_FORMAT.md, "Command reports".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/sync/predicted_key.h"

namespace muster {

/// The reason why a server did not spawn an entity.
enum class SpawnRefusal : std::uint8_t {
  none = 0,           ///< The entity was spawned.
  no_network_id = 1,  ///< All network ids are in use.
  unknown_type = 2,   ///< The server's build does not have the type.
  not_spawned = 3,    ///< The server's systems did not spawn the entity. This value is not sent.
};
std::string_view to_string(SpawnRefusal refusal);

/// The spawns of the last commands that a server has run. If a report is lost, the next report
/// lists the same spawns again. Reuses its memory in later calls. Only one thread at a time may use
/// this object.
class SpawnReport {
 public:
  /// Limits both the number of commands and the number of spawns in a report.
  static constexpr std::uint32_t kCommands = 32;
  static constexpr std::size_t kSpawnsMax = 32;

  struct Spawn {
    PredictedKey key;
    SpawnRefusal refusal{};
  };

  /// For a server. Adds the result of a spawn by a shared system.
  void add(const PredictedKey& key, SpawnRefusal refusal);
  /// A server calls this function after a command has run. Removes the spawns of commands that are
  /// too old for the report.
  void end_command(CommandNumber number);
  void encode(std::vector<std::byte>& out) const;
  /// For a client. Reads a report. `newest` is the number of the last command that the client has
  /// sent. Returns false if the bytes are malformed.
  bool decode(std::span<const std::byte> bytes, CommandNumber newest);

  /// The result of a spawn, or nothing if the report does not cover the spawn's command.
  std::optional<SpawnRefusal> find(const PredictedKey& key) const;

 private:
  CommandNumber executed_;     ///< The last command that has run, or 0.
  std::uint32_t covered_ = 0;  ///< The number of covered commands, up to `executed_`.
  CommandNumber overflow_;     ///< A command with too many spawns for the report.
  std::vector<Spawn> spawns_;  ///< Spawns in the order of their commands.
};

}  // namespace muster
