#include "registry/components/interpolation.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <type_traits>

#include "registry/components/lanes.h"

namespace muster {
namespace {

bool is_finite(double a, double b) { return std::isfinite(a) && std::isfinite(b); }

// Interpolates between two different numbers. Requires: 0 < `fraction` < 1.
template <typename T>
T linear(T from, T to, double fraction) {
  if constexpr (std::is_floating_point_v<T>) {
    const auto a = static_cast<double>(from);
    const auto b = static_cast<double>(to);
    if (!is_finite(a, b)) return from;
    const double difference = b - a;  // The difference can overflow to infinity.
    return static_cast<T>(std::isfinite(difference) ? a + difference * fraction
                                                    : a * (1 - fraction) + b * fraction);
  } else {
    const auto wide = static_cast<long double>(from) +
                      (static_cast<long double>(to) - static_cast<long double>(from)) * fraction;
    // Rounding a 64-bit integer must not give a result outside [from, to].
    const auto [low, high] = std::minmax(from, to);
    if (wide <= static_cast<long double>(low)) return low;
    if (wide >= static_cast<long double>(high)) return high;
    return static_cast<T>(std::roundl(wide));
  }
}

// Interpolates an angle along the shorter arc. If `from` and `to` are in [0, turn] or [-half,
// half], the result is in [0, turn) or (-half, half]. Wraps the angle after the cast, because
// rounding may give the excluded limit.
template <typename T>
T angle(T from, T to, double fraction, double turn) {
  const auto a = static_cast<double>(from);
  const auto b = static_cast<double>(to);
  if (!is_finite(a, b)) return from;
  const double half = turn / 2;
  const double between = a + std::remainder(b - a, turn) * fraction;
  const auto both_in = [&](double low, double high) {
    return std::min(a, b) >= low && std::max(a, b) <= high;
  };
  if (both_in(0, turn)) {
    const auto wrapped = static_cast<T>(between < 0 ? between + turn : between);
    const double over = between < 0 ? 0 : std::max(0.0, between - turn);
    return static_cast<double>(wrapped) >= turn ? static_cast<T>(over) : wrapped;
  }
  if (both_in(-half, half)) {
    const auto wrapped = static_cast<T>(between > half ? between - turn : between);
    const double under = between > half ? half : std::min(half, between + turn);
    return static_cast<double>(wrapped) <= -half ? static_cast<T>(under) : wrapped;
  }
  return static_cast<T>(between);
}

using Four = std::array<float, 4>;

Four shortest_arc(const Four& from, Four to, double fraction) {
  double dot = 0;
  for (std::size_t i = 0; i < 4; ++i) dot += double{from[i]} * double{to[i]};
  // `to` and its negative are the same rotation. The quaternion that is nearer to `from` gives the
  // shorter arc.
  if (dot < 0) {
    for (float& part : to) part = -part;
    dot = -dot;
  }
  double first = 1 - fraction;
  double second = fraction;
  // Above this value, the arc's sine is too small as a divisor.
  constexpr double kNearlyEqual = 0.9995;
  if (dot < kNearlyEqual) {
    const double arc = std::acos(dot);
    first = std::sin(first * arc) / std::sin(arc);
    second = std::sin(second * arc) / std::sin(arc);
  }
  std::array<double, 4> sum{};
  double square = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    sum[i] = first * double{from[i]} + second * double{to[i]};
    square += sum[i] * sum[i];
  }
  const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
  Four out{};
  for (std::size_t i = 0; i < 4; ++i) out[i] = static_cast<float>(sum[i] * scale);
  return out;
}

// Interpolates one element of a field.
void fill(const FieldDescription& field, const std::byte* from, const std::byte* to,
          double fraction, std::byte* out) {
  // If the fraction is 0 or 1, or if both states are equal, copies the bytes.
  const bool is_still = std::memcmp(from, to, field.element_bytes) == 0 &&
                        field.interpolation != Interpolation::angle;
  if (is_still || fraction <= 0 || fraction >= 1 || field.interpolation == Interpolation::step) {
    std::memmove(out, fraction >= 1 ? to : from, field.element_bytes);
    return;
  }
  switch (field.interpolation) {
    case Interpolation::step:
      return;
    case Interpolation::shortest_arc:
      store_lane(out, shortest_arc(load_lane<Four>(from), load_lane<Four>(to), fraction));
      return;
    case Interpolation::angle:
    case Interpolation::linear:
      break;
  }
  with_lane_type(lane_type(field.type), [&]<typename T>(T) {
    for (std::uint32_t lane = 0; lane < lane_count(field); ++lane) {
      const T a = load_lane<T>(from + lane * sizeof(T));
      const T b = load_lane<T>(to + lane * sizeof(T));
      const bool is_angle = field.interpolation == Interpolation::angle;
      const T between =
          is_angle ? angle(a, b, fraction, whole_turn_of<T>(field)) : linear(a, b, fraction);
      store_lane(out + lane * sizeof(T), between);
    }
  });
}

}  // namespace

void interpolate(const ComponentDescription& component, Bytes from, Bytes to, float fraction,
                 std::span<std::byte> out) {
  assert(fraction >= 0 && fraction <= 1);
  assert(from.size() >= component.size_bytes && to.size() >= component.size_bytes);
  assert(out.size() >= component.size_bytes);
  for (const FieldDescription& field : component.fields) {
    for (std::uint32_t i = 0; i < field.count; ++i) {
      const std::size_t at = field.offset_bytes + std::size_t{i} * field.element_bytes;
      fill(field, from.data() + at, to.data() + at, double{fraction}, out.data() + at);
    }
  }
}

Quaternion shortest_arc(const Quaternion& from, const Quaternion& to, double fraction) {
  const Four turned =
      shortest_arc(Four{from.x, from.y, from.z, from.w}, Four{to.x, to.y, to.z, to.w}, fraction);
  return {turned[0], turned[1], turned[2], turned[3]};
}

}  // namespace muster
