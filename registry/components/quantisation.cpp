// Steps are computed as doubles and rounded once, with operations that IEEE 754 defines exactly. So
// the results are the same on every machine. The rules for descriptions ensure that adjacent steps
// are different floats.
#include "registry/components/quantisation.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "registry/base/not_finite.h"
#include "registry/components/lanes.h"
#include "registry/components/rotation_steps.h"

namespace muster {
namespace {

/// The maximum number of steps from zero for 64-bit lanes of a field without a range. A double does
/// not represent all larger integers.
constexpr double kMaxSteps = 9007199254740992.0;  // 2^53
/// The maximum number of steps from zero for floats, so that steps fit in 32 bits. The limit is the
/// second-largest float below 2^31, because rounding with the largest float could give 2^31.
constexpr double kMaxFloatSteps = 2147483392.0;

/// The range of `quantise_unbounded`. 2^62 is exact as a double and as an integer.
constexpr WireRange kUnbounded{-(std::int64_t{1} << 62), std::int64_t{1} << 62};

bool has_range(const FieldDescription& field) { return field.minimum != field.maximum; }
/// A number with a name is sent unchanged, even if the field has a range and a resolution.
bool has_steps(const FieldDescription& field) {
  return field.resolution > 0 && field.names.empty();
}
/// A rotation or an integer without a resolution is sent exactly: its range has no effect.
bool has_exact_range(const FieldDescription& field) {
  return has_range(field) && !has_steps(field) && is_real(lane_type(field.type)) &&
         field.type != FieldType::quaternion;
}

std::int64_t last_step(const FieldDescription& field) {
  return std::llround((field.maximum - field.minimum) / field.resolution);
}

// The range of steps for a field with a resolution but without a range. Quantising the value of
// `low` or `high` gives the same step again.
template <typename T>
WireRange unbounded_steps(const FieldDescription& field) {
  using Limits = std::numeric_limits<T>;
  const auto step_of_end = [&](double end) { return std::llround(end / field.resolution); };
  const double far = kMaxSteps * field.resolution;
  if constexpr (std::is_floating_point_v<T>) {
    const double end = sizeof(T) == 4 ? kMaxFloatSteps * field.resolution : far;
    const std::int64_t high =
        step_of_end(static_cast<double>(static_cast<T>(std::min(end, double{Limits::max()}))));
    return {-high, high};
  } else if constexpr (sizeof(T) == 8) {
    return {step_of_end(std::max(-far, static_cast<double>(Limits::min()))),
            step_of_end(std::min(far, static_cast<double>(Limits::max())))};
  } else {
    return {step_of_end(Limits::min()), step_of_end(Limits::max())};
  }
}

// Maps a float to an integer with the same order.
template <typename Real>
std::int64_t ordered_bits(Real value) {
  if constexpr (sizeof(Real) == 4) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    return bits < 0 ? std::int64_t{bits ^ 0x7FFFFFFF} : bits;
  } else {
    const auto bits = std::bit_cast<std::int64_t>(value);
    return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
  }
}

template <typename Real>
Real from_ordered_bits(std::int64_t ordered) {
  if constexpr (sizeof(Real) == 4) {
    const auto bits = static_cast<std::int32_t>(ordered);
    return std::bit_cast<float>(bits < 0 ? bits ^ 0x7FFFFFFF : bits);
  } else {
    return std::bit_cast<double>(ordered < 0 ? ordered ^ std::numeric_limits<std::int64_t>::max()
                                             : ordered);
  }
}

// The range of the exact floats of a field. -0.0 is below 0.0, and both are within a range that
// begins or ends at zero.
template <typename Real>
WireRange exact_range(const FieldDescription& field) {
  const auto low = static_cast<Real>(field.minimum);
  const auto high = static_cast<Real>(field.maximum);
  return {ordered_bits(low == 0 ? -Real{0} : low), ordered_bits(high == 0 ? Real{0} : high)};
}

bool has_nearest(double value, const FieldDescription& field) {
  return field.interpolation == Interpolation::angle ? std::isfinite(value) : !std::isnan(value);
}

std::int64_t step_of(double value, const FieldDescription& field, const WireRange& range) {
  const double origin = has_range(field) ? field.minimum : 0;
  if (!has_nearest(value, field)) {
    if (range == kUnbounded) return kNotFinite;
    value = 0;
  }
  const double steps = (value - origin) / field.resolution;
  if (steps <= static_cast<double>(range.low)) return range.low;
  if (steps >= static_cast<double>(range.high)) return range.high;
  return std::llround(steps);
}

template <typename T>
std::int64_t quantise_lane(T value, const FieldDescription& field, const WireRange& range) {
  if (field.type == FieldType::boolean) return value == T{} ? 0 : 1;
  if (has_steps(field)) return step_of(static_cast<double>(value), field, range);
  if constexpr (std::is_floating_point_v<T>) {
    const bool is_bounded = range != kUnbounded && has_exact_range(field);
    if (has_exact_range(field) && std::isnan(value)) {
      if (!is_bounded) return kNotFinite;
      value = 0;
    }
    const std::int64_t ordered = ordered_bits(value);
    return is_bounded ? std::clamp(ordered, range.low, range.high) : ordered;
  } else {
    if (field.names.empty()) return static_cast<std::int64_t>(value);
    if (std::cmp_less(value, range.low)) return range.low;
    return std::cmp_greater(value, range.high) ? range.high : static_cast<std::int64_t>(value);
  }
}

template <typename T>
T dequantise_lane(std::int64_t step, const FieldDescription& field) {
  if (!has_steps(field)) {
    if constexpr (std::is_floating_point_v<T>) {
      return from_ordered_bits<T>(step);
    } else {
      return static_cast<T>(step);
    }
  }
  double value = static_cast<double>(step) * field.resolution;
  if (has_range(field)) value = std::min(field.minimum + value, field.maximum);
  if constexpr (!std::is_floating_point_v<T>) {
    // The last step can be outside the type. For example, 255 is no multiple of the resolution 10.
    value = std::clamp(value, static_cast<double>(std::numeric_limits<T>::min()),
                       static_cast<double>(std::numeric_limits<T>::max()));
    if (value >= static_cast<double>(std::numeric_limits<T>::max())) {
      return std::numeric_limits<T>::max();
    }
  }
  return static_cast<T>(value);
}

bool is_finite(const Quaternion& rotation) {
  return std::isfinite(rotation.x) && std::isfinite(rotation.y) && std::isfinite(rotation.z) &&
         std::isfinite(rotation.w);
}

void quantise_rotations(const WireRange& range, const FieldDescription& field, const std::byte* at,
                        std::span<std::int64_t> out) {
  const std::uint32_t step_max = rotation_step_max(field.resolution);
  for (std::size_t i = 0; i < out.size(); i += 4, at += sizeof(Quaternion)) {
    const auto rotation = load_lane<Quaternion>(at);
    const RotationSteps steps = rotation_steps(rotation, step_max);
    out[i] = steps.dropped;
    std::ranges::copy(steps.others, out.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    if (range == kUnbounded && !is_finite(rotation)) out[i + 1] = kNotFinite;
  }
}

void dequantise_rotations(const FieldDescription& field, std::span<const std::int64_t> values,
                          std::byte* at) {
  const std::uint32_t step_max = rotation_step_max(field.resolution);
  const auto within = [](std::int64_t value, std::uint32_t high) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, high));
  };
  for (std::size_t i = 0; i < values.size(); i += 4, at += sizeof(Quaternion)) {
    const RotationSteps steps{
        .dropped = within(values[i], 3),
        .others = {within(values[i + 1], step_max), within(values[i + 2], step_max),
                   within(values[i + 3], step_max)}};
    store_lane(at, rotation_of(steps, step_max));
  }
}

// Sets the lanes after the end of a text to zero.
template <typename T>
void end_texts(const FieldDescription& field, std::span<T> lanes) {
  for (std::size_t begin = 0; begin < lanes.size(); begin += field.element_bytes) {
    const std::span<T> text = lanes.subspan(begin, field.element_bytes);
    std::fill(std::find(text.begin(), text.end(), T{}), text.end(), T{});
  }
}

}  // namespace

std::uint32_t wire_value_count(const FieldDescription& field) {
  return field.count * lane_count(field);
}

bool is_smallest_three(const FieldDescription& field) {
  return field.type == FieldType::quaternion && has_steps(field);
}

WireRange wire_range(const FieldDescription& field) {
  if (field.type == FieldType::boolean) return {0, 1};
  if (is_smallest_three(field)) return {0, rotation_step_max(field.resolution)};
  if (!field.names.empty()) return {0, static_cast<std::int64_t>(field.names.size()) - 1};
  if (has_steps(field)) {
    if (has_range(field)) return {0, last_step(field)};
    return with_lane_type(lane_type(field.type),
                          [&]<typename T>(T) { return unbounded_steps<T>(field); });
  }
  return with_lane_type(lane_type(field.type), [&]<typename T>(T) -> WireRange {
    using Limits = std::numeric_limits<std::int64_t>;
    if constexpr (std::is_floating_point_v<T>) {
      if (has_exact_range(field)) return exact_range<T>(field);
    }
    if constexpr (std::is_same_v<T, float>) {
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    } else if constexpr (sizeof(T) == 8) {
      return {Limits::min(), Limits::max()};
    } else {
      return {static_cast<std::int64_t>(std::numeric_limits<T>::min()),
              static_cast<std::int64_t>(std::numeric_limits<T>::max())};
    }
  });
}

namespace {

void quantise_within(const WireRange& range, const FieldDescription& field, Bytes component,
                     std::span<std::int64_t> out) {
  assert(out.size() == wire_value_count(field));
  const std::byte* at = component.data() + field.offset_bytes;
  if (is_smallest_three(field)) return quantise_rotations(range, field, at, out);
  with_lane_type(lane_type(field.type), [&]<typename T>(T) {
    for (std::int64_t& value : out) {
      value = quantise_lane(load_lane<T>(at), field, range);
      at += sizeof(T);
    }
  });
  if (field.type == FieldType::text) end_texts(field, out);
}

}  // namespace

void quantise(const FieldDescription& field, Bytes component, std::span<std::int64_t> out) {
  quantise_within(wire_range(field), field, component, out);
}

void quantise_unbounded(const FieldDescription& field, Bytes component,
                        std::span<std::int64_t> out) {
  quantise_within(kUnbounded, field, component, out);
}

double number_of(const FieldDescription& field, std::int64_t integer) {
  if (has_steps(field)) {
    const double offset = static_cast<double>(integer) * field.resolution;
    return has_range(field) ? field.minimum + offset : offset;
  }
  return with_lane_type(lane_type(field.type), [&]<typename T>(T) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(from_ordered_bits<T>(integer));
    } else {
      return static_cast<double>(integer);
    }
  });
}

void dequantise(const FieldDescription& field, std::span<const std::int64_t> values,
                std::span<std::byte> component) {
  assert(values.size() == wire_value_count(field));
  std::byte* at = component.data() + field.offset_bytes;
  if (is_smallest_three(field)) return dequantise_rotations(field, values, at);
  const WireRange range = wire_range(field);
  with_lane_type(lane_type(field.type), [&]<typename T>(T) {
    for (const std::int64_t value : values) {
      store_lane(at, dequantise_lane<T>(std::clamp(value, range.low, range.high), field));
      at += sizeof(T);
    }
  });
  if (field.type == FieldType::text) {
    end_texts(field, component.subspan(field.offset_bytes, values.size()));
  }
}

}  // namespace muster
