// Ids of spawns and effects that a player's command causes. They are the same on every machine.
#pragma once

#include <compare>
#include <cstdint>

namespace muster {

/// The predicted id of a spawn or an effect. It consists of the command that ran in that tick, the
/// index of the system in `Game::systems`, and the number of the same player's earlier spawns (or
/// effects) in that system and tick. SESSION_FORMAT.md, "Predicted ids".
struct PredictedKey {
  /// The maximum of `system` and of `order`. What is beyond it has no key.
  static constexpr std::uint32_t kPartMax = 255;

  std::uint32_t command = 0;  ///< 0 for none: a client cannot predict it.
  std::uint8_t system = 0;
  std::uint8_t order = 0;

  constexpr bool is_none() const { return command == 0; }
  /// `system` and `order` in one number, for the wire.
  constexpr std::uint32_t place() const { return std::uint32_t{system} << 8U | order; }
  static constexpr PredictedKey from(std::uint32_t command, std::uint32_t place) {
    return {.command = command,
            .system = static_cast<std::uint8_t>(place >> 8U & 0xFFU),
            .order = static_cast<std::uint8_t>(place & 0xFFU)};
  }
  friend constexpr auto operator<=>(const PredictedKey&, const PredictedKey&) = default;
};

/// If a command arrives too late, its presses run with a later command. A client waits this many
/// commands for the spawns and effects of such a press.
inline constexpr std::int32_t kLateCommandsMax = 16;

/// The difference of two command numbers, which wrap: positive if `to` is later.
constexpr std::int32_t command_steps(std::uint32_t from, std::uint32_t to) {
  return static_cast<std::int32_t>(to - from);
}

}  // namespace muster
