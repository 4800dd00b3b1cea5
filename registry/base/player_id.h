// The numbers of players, and the players that receive a value.
#pragma once

#include <cstdint>

namespace muster {

/// A player of the match. Entities of the server or of the level have no player (`none`). The same
/// number is in the welcome message and in components.
enum class PlayerId : std::int32_t { none = -1 };

/// The players that receive a field of an entity. The owner is the entity's player.
enum class Receivers : std::uint8_t { everyone = 0, owner = 1, all_but_owner = 2 };

}  // namespace muster
