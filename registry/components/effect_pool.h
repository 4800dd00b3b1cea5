// Limits on the number of instances of one effect on a client. The rules, the bundler and the
// runtime use these limits.
#pragma once

#include <cstdint>

namespace muster {

/// The maximum number of instances of one effect. Larger numbers are probably mistakes, because
/// typical registries use 16.
inline constexpr std::uint32_t kMaxEffectPool = 1024;
/// The number of instances for an entry without a pool size.
inline constexpr std::uint32_t kDefaultEffectPool = 16;

}  // namespace muster
