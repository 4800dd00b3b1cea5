// How a corrected error vanishes from what is shown.
#pragma once

#include <algorithm>
#include <chrono>

#include "registry/base/clock.h"

namespace muster {

/// The time in which a corrected error vanishes.
inline constexpr Duration kErrorBlend = std::chrono::milliseconds(99);

/// The share of an error that is still shown `since` a correction: 1 at first, 0 at `length` and
/// later. It begins and ends without a jump of the speed (a cubic ease: "smoothstep").
constexpr float shown_error_share(Duration since, Duration length = kErrorBlend) {
  if (since >= length) return 0;
  const float done =
      std::max(static_cast<float>(since.count()) / static_cast<float>(length.count()), 0.0F);
  return 1 - done * done * (3 - 2 * done);
}

}  // namespace muster
