// Names what a system does because of a player's command: the same on every machine.
#pragma once

#include <compare>
#include <cstdint>

namespace muster {

/// The predicted id of a spawn or an effect: the command whose tick did it, the system by its index
/// in `Game::systems`, and how many of the same player came before it in that system and tick. A
/// value. SESSION_FORMAT.md, "Predicted ids".
struct PredictedKey {
  /// Systems, and spawns or effects of one player in a system and tick, that have a key.
  static constexpr std::uint32_t kPartMax = 255;

  std::uint32_t command = 0;  ///< 0 for none: nothing that a client can foresee.
  std::uint8_t system = 0;
  std::uint8_t order = 0;

  constexpr bool is_none() const { return command == 0; }
  /// System and order in one number, for the wire.
  constexpr std::uint32_t place() const { return std::uint32_t{system} << 8U | order; }
  static constexpr PredictedKey from(std::uint32_t command, std::uint32_t place) {
    return {.command = command,
            .system = static_cast<std::uint8_t>(place >> 8U & 0xFFU),
            .order = static_cast<std::uint8_t>(place & 0xFFU)};
  }
  friend constexpr auto operator<=>(const PredictedKey&, const PredictedKey&) = default;
};

/// A press whose command came too late runs with a later command, at most this many later. A client
/// waits that long for its spawns and effects.
inline constexpr std::int32_t kLateCommandsMax = 16;

/// Steps from one command's number to another's; numbers wrap.
constexpr std::int32_t command_steps(std::uint32_t from, std::uint32_t to) {
  return static_cast<std::int32_t>(to - from);
}

}  // namespace muster
