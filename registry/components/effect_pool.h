// The number of instances of one effect per client. The rules, the bundler and the runtime use the
// same limit.
#pragma once

#include <cstdint>

namespace muster {

/// The maximum number of instances of one effect. Typical registries use 16; a larger value than
/// this maximum is a mistake and wastes memory.
inline constexpr std::uint32_t kMaxEffectPool = 1024;
/// The value for a registry without a size.
inline constexpr std::uint32_t kDefaultEffectPool = 16;

}  // namespace muster
