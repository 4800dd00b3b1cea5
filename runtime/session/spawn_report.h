// What became of the spawns of a player's commands, behind each command report. SESSION_FORMAT.md,
// "Command reports".
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
  none = 0,           ///< It did.
  no_network_id = 1,  ///< All are in use.
  unknown_type = 2,   ///< Its build does not have the type.
  not_spawned = 3,    ///< Its systems did not ask for it. Never on the wire: it is not listed.
};
std::string_view to_string(SpawnRefusal refusal);

/// The spawns of the last commands that a server has run. If a report is lost, the next one lists
/// the same spawns. Keeps its memory. One thread at a time.
class SpawnReport {
 public:
  /// Commands whose spawns are reported, and spawns in a report.
  static constexpr std::uint32_t kCommands = 32;
  static constexpr std::size_t kSpawnsMax = 32;

  struct Spawn {
    PredictedKey key;
    SpawnRefusal refusal{};
  };

  /// Server: a shared system has spawned an entity, or could not.
  void add(const PredictedKey& key, SpawnRefusal refusal);
  /// Server: a command has run. Forgets the spawns of those that are too old.
  void end_command(std::uint32_t number);
  void encode(std::vector<std::byte>& out) const;
  /// Client: `newest` is the last command that it has sent. False for malformed bytes.
  bool decode(std::span<const std::byte> bytes, std::uint32_t newest);

  /// What became of a spawn; nothing while that is not known from this report.
  std::optional<SpawnRefusal> find(const PredictedKey& key) const;

 private:
  std::uint32_t executed_ = 0;  ///< The last command that has run; 0 for none.
  std::uint32_t covered_ = 0;   ///< Commands up to that one whose spawns are all listed.
  std::uint32_t overflow_ = 0;  ///< A command with more spawns than a report has room for.
  std::vector<Spawn> spawns_;   ///< By command.
};

}  // namespace muster
