// The identity of a player.
#pragma once

#include <cstdint>

namespace muster {

/// A player of the match; the server and the scenery belong to none.
enum class PlayerId : std::int32_t { none = -1 };

}  // namespace muster
