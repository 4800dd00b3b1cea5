// Integers that stand for values without a step: NaN in a field with a range, and numbers that an
// enumeration does not name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace muster {

/// A value without a step. Its integer is below the range of every field, except of fields that use
/// all 64 bits, which must not have such values.
struct OutsideValue {
  bool is_nan = false;
  std::int64_t nearest = 0;  ///< The integer that is sent instead.
  std::int64_t value = 0;    ///< The number of the enumeration; 0 for NaN.
};

namespace outside_value_detail {

inline constexpr std::int64_t kOutsideEnd = -(std::int64_t{1} << 62);
inline constexpr std::int64_t kFirstNan = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kFirstUnnamed = kFirstNan + (std::int64_t{1} << 61);
/// The number of an enumeration has at most 32 bits and a sign.
inline constexpr unsigned kUnnamedBits = 36;
inline constexpr std::int64_t kUnnamedOffset = std::int64_t{1} << (kUnnamedBits - 1);
inline constexpr std::int64_t kNearestMax = (std::int64_t{1} << 24) - 1;

}  // namespace outside_value_detail

/// The integer of NaN. Requires: `nearest` is at least 0, and at most 2^53.
constexpr std::int64_t nan_integer(std::int64_t nearest) {
  return outside_value_detail::kFirstNan + nearest;
}
/// The integer of a number without a name. Requires: `value` is a number of a type with at most 32
/// bits, and `nearest` is at least 0.
constexpr std::int64_t unnamed_integer(std::int64_t value, std::int64_t nearest) {
  using namespace outside_value_detail;
  return kFirstUnnamed + (std::min(nearest, kNearestMax) << kUnnamedBits) +
         (value + kUnnamedOffset);
}

/// Returns nothing for the integer of a step.
constexpr std::optional<OutsideValue> outside_value(std::int64_t integer) {
  using namespace outside_value_detail;
  if (integer >= kOutsideEnd) return std::nullopt;
  if (integer < kFirstUnnamed) return OutsideValue{.is_nan = true, .nearest = integer - kFirstNan};
  const std::int64_t packed = integer - kFirstUnnamed;
  return OutsideValue{.nearest = packed >> kUnnamedBits,
                      .value = packed % (std::int64_t{1} << kUnnamedBits) - kUnnamedOffset};
}

}  // namespace muster
