// A component is counted in half steps from the middle of its range, because the middle is not a
// whole number of steps when `maximum` is odd. A component of 1 is then `maximum * sqrt(2)` half
// steps.
#include "net/snapshot/rotation_frame.h"

#include <algorithm>
#include <cmath>

namespace muster {
namespace {

/// The largest integer whose square is at most `value`. The square root of a double is rounded
/// correctly on every machine, and below 2^52 the error is at most one.
std::int64_t whole_root(std::int64_t value) {
  if (value <= 0) return 0;
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(value)));
  while (root * root > value) --root;
  while ((root + 1) * (root + 1) <= value) ++root;
  return root;
}

}  // namespace

RotationFrame::RotationFrame(const KnownStates& known, std::size_t dropped, LaneValue dropped_now,
                             const LaneSchema& dropped_schema, const LaneSchema& part)
    : first_(dropped + 1) {
  const bool fits = dropped_schema.maximum <= 3 && part.maximum < (1U << 20);
  const std::int64_t middle = part.maximum;  // In half steps.
  // The sum of the squares of all four components: (maximum * sqrt(2))^2.
  const std::int64_t sum_of_squares = fits ? 2 * middle * middle : 0;
  for (std::size_t k = 0; k < known.count; ++k) {
    const LaneValue* values = known.values[k] + dropped;
    if (!fits || values[0] == dropped_now || values[0] > 3 || dropped_now > 3) {
      for (std::size_t i = 0; i < 3; ++i) parts_[i][k] = values[1 + i];
      continue;
    }
    std::array<std::int64_t, 4> whole{};
    std::int64_t left = sum_of_squares;
    std::size_t next = 1;
    for (std::size_t i = 0; i < 4; ++i) {
      if (i == values[0]) continue;
      whole[i] = 2 * std::int64_t{values[next++]} - middle;
      left -= whole[i] * whole[i];
    }
    whole[values[0]] = whole_root(left);
    const std::int64_t sign = whole[dropped_now] < 0 ? -1 : 1;
    next = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (i == dropped_now) continue;
      const std::int64_t half_steps = sign * whole[i] + middle;
      parts_[next++][k] = half_steps >= 0 ? (half_steps + 1) / 2 : -((-half_steps) / 2);
    }
  }
}

}  // namespace muster
