// The integer of values that no step describes.
#pragma once

#include <cstdint>
#include <limits>

namespace muster {

/// The integer of NaN, and of an infinite angle or rotation. On the wire, such a value becomes the
/// value of its field that is nearest to zero.
inline constexpr std::int64_t kNotFinite = std::numeric_limits<std::int64_t>::min();

}  // namespace muster
