// Blends a corrected prediction error out of the shown state.
#pragma once

#include <algorithm>
#include <chrono>

#include "registry/base/clock.h"

namespace muster {

/// The time over which a corrected error is blended out.
inline constexpr Duration kErrorBlend = std::chrono::milliseconds(99);

/// The share of an error that is still shown at the time `since` after a correction: 1 at first, 0
/// from `length` on. The speed does not jump at the beginning or the end (a cubic ease,
/// "smoothstep").
constexpr float shown_error_share(Duration since, Duration length = kErrorBlend) {
  if (since >= length) return 0;
  const float done =
      std::max(static_cast<float>(since.count()) / static_cast<float>(length.count()), 0.0F);
  return 1 - done * done * (3 - 2 * done);
}

}  // namespace muster
