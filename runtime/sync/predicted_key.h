// The predicted ids of spawns and effects. A predicted id is the same on every machine.
#pragma once

#include <cstdint>

#include "runtime/sync/command_number.h"

namespace muster {

/// The predicted id of a spawn or an effect that a player's command causes. The id consists of the
/// command's number, the index of the system in `Game::systems`, and an order. The order is the
/// number of the player's earlier spawns (or effects) in the same system and tick. See
/// SESSION_FORMAT.md, "Predicted ids".
struct PredictedKey {
  /// The maximum of `system` and of `order`. Spawns and effects beyond this maximum have no key.
  static constexpr std::uint32_t kPartMax = 255;

  CommandNumber command{};  ///< 0 for an empty key: clients cannot predict the spawn or effect.
  std::uint8_t system = 0;
  std::uint8_t order = 0;

  constexpr bool is_none() const { return command.is_none(); }
  /// Returns `system` and `order` in one number, for the wire.
  constexpr std::uint32_t system_and_order() const { return std::uint32_t{system} << 8U | order; }
  static constexpr PredictedKey from(CommandNumber command, std::uint32_t system_and_order) {
    return {.command = command,
            .system = static_cast<std::uint8_t>(system_and_order >> 8U & 0xFFU),
            .order = static_cast<std::uint8_t>(system_and_order & 0xFFU)};
  }
  friend constexpr bool operator==(const PredictedKey&, const PredictedKey&) = default;
};

/// If a command arrives too late, the server runs its presses with a later command. A client waits
/// for the spawns and effects of such a press for this number of commands.
inline constexpr std::int32_t kLateCommandsMax = 16;

}  // namespace muster
