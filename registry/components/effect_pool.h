// How many instances of one effect a client may hold: what rules, writers and the runtime agree on.
#pragma once

#include <cstdint>

namespace muster {

/// The most instances of one effect. Registries ask for 16; a larger number than this is a mistake
/// that would cost memory for nothing.
inline constexpr std::uint32_t kMaxEffectPool = 1024;
/// What a registry that gives no size asks for.
inline constexpr std::uint32_t kDefaultEffectPool = 16;

}  // namespace muster
