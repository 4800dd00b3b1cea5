// The numbers of players.
#pragma once

#include <cstdint>

namespace muster {

/// A player of the match. Entities of the server or of the level have no player (`none`). The same
/// number is in the welcome message and in components.
enum class PlayerId : std::int32_t { none = -1 };

}  // namespace muster
