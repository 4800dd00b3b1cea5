// Blends corrected prediction errors in the shown state.
#pragma once

#include <algorithm>
#include <chrono>

#include "registry/base/clock.h"

namespace muster {

/// The time over which a shown error shrinks to zero.
inline constexpr Duration kErrorBlend = std::chrono::milliseconds(99);

/// The share of an error that is shown at the time `since` after a correction. The share is 1 at
/// first, and 0 from `length` on. The share is a cubic function ("smoothstep") of time, so the
/// speed does not jump at the beginning or the end.
constexpr float shown_error_share(Duration since, Duration length = kErrorBlend) {
  if (since >= length) return 0;
  const float done =
      std::max(static_cast<float>(since.count()) / static_cast<float>(length.count()), 0.0F);
  return 1 - done * done * (3 - 2 * done);
}

}  // namespace muster
