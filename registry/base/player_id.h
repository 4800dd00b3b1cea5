// The numbers of players.
#pragma once

#include <cstdint>

namespace muster {

/// A player of the match; the server and the scenery belong to no player. The same number is in the
/// welcome message and in components.
enum class PlayerId : std::int32_t { none = -1 };

}  // namespace muster
