// Components are counted in half steps from the middle of their range, as in SNAPSHOT_FORMAT.md.
// 1/sqrt(2) is equal to `step_max` half steps, so the sum of the squares of all four components is
// 2 * step_max^2.
//
// Rounding three components changes the fourth. If the two largest components are nearly equal, the
// dropped component can be the smaller one after decoding. Then encoding again would drop the other
// component and round differently. So the steps are decoded and encoded until they no longer
// change. If they change again in the second round or later, the component with the largest
// absolute value is moved one step towards zero before the next round. The loop ends at the latest
// when all three components are zero.
#include "registry/components/rotation_steps.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace muster {
namespace {

constexpr double kRootOfTwo = 1.4142135623730951;
/// The limits of `step_max`. With fewer steps, the index of the dropped component would not fit the
/// range of the steps. More steps would exceed the precision of a float.
constexpr std::uint32_t kStepsMin = 4;
constexpr std::uint32_t kStepsMax = (1U << 20U) - 2;

RotationSteps nearest_steps(const Quaternion& rotation, std::uint32_t step_max) {
  std::array<double, 4> parts = {rotation.x, rotation.y, rotation.z, rotation.w};
  double squares = 0;
  for (const double part : parts) squares += part * part;
  if (!std::isfinite(squares) || squares == 0) {
    parts = {0, 0, 0, 1};
    squares = 1;
  }
  RotationSteps steps{.dropped = 0};
  for (std::uint32_t i = 1; i < 4; ++i) {
    if (std::abs(parts[i]) > std::abs(parts[steps.dropped])) steps.dropped = i;
  }
  const double middle = step_max;
  const double scale = (parts[steps.dropped] < 0 ? -middle : middle) * kRootOfTwo;
  const double length = std::sqrt(squares);
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (i == steps.dropped) continue;
    const double half_steps = std::clamp(parts[i] / length * scale, -middle, middle);
    steps.others[next++] = static_cast<std::uint32_t>(std::llround((half_steps + middle) / 2));
  }
  return steps;
}

RotationSteps there_and_back(const RotationSteps& steps, std::uint32_t step_max) {
  return nearest_steps(rotation_of(steps, step_max), step_max);
}

std::int64_t half_steps_of(std::uint32_t step, std::uint32_t step_max) {
  return 2 * std::int64_t{std::min(step, step_max)} - step_max;
}

// Moves the component with the largest absolute value one step towards zero.
void pull(RotationSteps& steps, std::uint32_t step_max) {
  std::uint32_t* farthest = &steps.others[0];
  for (std::uint32_t& step : steps.others) {
    if (std::abs(half_steps_of(step, step_max)) > std::abs(half_steps_of(*farthest, step_max))) {
      farthest = &step;
    }
  }
  *farthest = half_steps_of(*farthest, step_max) > 0 ? *farthest - 1 : *farthest + 1;
}

}  // namespace

std::uint32_t rotation_step_max(double resolution) {
  assert(resolution > 0);
  const double each_side = std::round(1 / (resolution * kRootOfTwo));
  return 2 * static_cast<std::uint32_t>(
                 std::clamp(each_side, double{kStepsMin} / 2, double{kStepsMax} / 2));
}

RotationSteps rotation_steps(const Quaternion& rotation, std::uint32_t step_max) {
  RotationSteps steps = nearest_steps(rotation, step_max);
  RotationSteps back = there_and_back(steps, step_max);
  if (back == steps) return steps;
  steps = back;
  for (;;) {
    back = there_and_back(steps, step_max);
    if (back == steps) return steps;
    pull(steps, step_max);
  }
}

Quaternion rotation_of(const RotationSteps& steps, std::uint32_t step_max) {
  std::array<std::int64_t, 3> others{};
  std::int64_t squares = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    others[i] = half_steps_of(steps.others[i], step_max);
    squares += others[i] * others[i];
  }
  const std::int64_t all = 2 * std::int64_t{step_max} * step_max;
  const double length = std::sqrt(static_cast<double>(std::max(all, squares)));
  std::array<float, 4> parts{};
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const double part =
        i == std::min(steps.dropped, 3U)
            ? std::sqrt(static_cast<double>(std::max<std::int64_t>(0, all - squares)))
            : static_cast<double>(others[next++]);
    parts[i] = static_cast<float>(part / length);
  }
  return {parts[0], parts[1], parts[2], parts[3]};
}

}  // namespace muster
