// Rules for the properties of a field. `describe.h` applies the rules at compile time, and `check`
// applies them to descriptions from files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>

#include "registry/components/component.h"
#include "registry/components/lanes.h"

namespace muster {

/// The rules, in the order in which they are checked.
enum class FieldRule : std::uint8_t {
  none,
  finite_numbers,
  maximum_above_minimum,
  range_is_for_numbers,
  resolution_not_negative,
  tolerance_is_for_numbers,
  interpolation_fits_type,
  nothing_between_enumerators,
  angle_in_deg_or_rad,
  names_are_for_enumerations,
  whole_resolution,
  whole_range,
  range_within_type,
  resolution_within_range,
  steps_fit_in_32_bits,
  steps_differ_as_floats,
  sampling_is_for_numbers,
  sums_are_not_repeated,
};

/// The properties that the rules check.
struct FieldNumbers {
  FieldType type = FieldType::boolean;
  std::string_view unit;
  double minimum = 0;
  double maximum = 0;
  double resolution = 0;
  double tolerance = 0;
  Interpolation interpolation = Interpolation::step;
  Sampling sampled = Sampling::latest;
  Missing when_missing = Missing::repeat;
  bool is_enumeration = false;
  bool has_names = false;
};

namespace field_rules_detail {

constexpr bool is_finite(double value) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  return value >= -kLargest && value <= kLargest;
}

constexpr bool is_whole(double value) {
  constexpr double kAlwaysWholeFrom = 9007199254740992.0;  // 2^53
  if (value >= kAlwaysWholeFrom || value <= -kAlwaysWholeFrom) return true;
  return value == static_cast<double>(static_cast<std::int64_t>(value));
}

constexpr double size_of(double value) { return value < 0 ? -value : value; }

constexpr bool is_integer(FieldType type) {
  return type >= FieldType::int8 && type <= FieldType::uint64;
}
constexpr bool has_real_lanes(FieldType type) {
  return type >= FieldType::float32 && type <= FieldType::quaternion;
}

constexpr bool lies_within(FieldType type, double minimum, double maximum) {
  return with_lane_type(lane_type(type), [&]<typename T>(T) {
    return minimum >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
           maximum <= static_cast<double>(std::numeric_limits<T>::max());
  });
}

// The first broken rule of a field with a range and a resolution.
constexpr FieldRule broken_step_rule(const FieldNumbers& field) {
  const double width = field.maximum - field.minimum;
  if (field.resolution > width) return FieldRule::resolution_within_range;
  constexpr double kMaxSteps = 4294967295.0;
  if (width / field.resolution > kMaxSteps) return FieldRule::steps_fit_in_32_bits;
  // A float has 24 bits of precision. Adjacent steps must be different floats. Otherwise a value
  // would change each time that it is quantised.
  constexpr double kMaxFloatSteps = 8388608.0;
  const double low = size_of(field.minimum);
  const double high = size_of(field.maximum);
  if (has_real_lanes(field.type) && field.type != FieldType::float64 &&
      (low < high ? high : low) / field.resolution > kMaxFloatSteps) {
    return FieldRule::steps_differ_as_floats;
  }
  return FieldRule::none;
}

}  // namespace field_rules_detail

/// The first rule that a field breaks; `none` if the field is valid.
constexpr FieldRule broken_rule(const FieldNumbers& field) {
  using namespace field_rules_detail;
  const bool is_number = is_integer(field.type) || has_real_lanes(field.type);
  const bool has_range = field.minimum != field.maximum;
  if (!is_finite(field.minimum) || !is_finite(field.maximum) || !is_finite(field.resolution) ||
      !is_finite(field.tolerance)) {
    return FieldRule::finite_numbers;
  }
  if (field.maximum < field.minimum) return FieldRule::maximum_above_minimum;
  if ((has_range || field.resolution != 0) && !is_number) return FieldRule::range_is_for_numbers;
  if (field.resolution < 0) return FieldRule::resolution_not_negative;
  if (field.tolerance < 0 || (field.tolerance > 0 && (!is_number || field.is_enumeration))) {
    return FieldRule::tolerance_is_for_numbers;
  }
  if (!can_interpolate(field.type, field.interpolation)) return FieldRule::interpolation_fits_type;
  if (field.is_enumeration && field.interpolation != Interpolation::step) {
    return FieldRule::nothing_between_enumerators;
  }
  if (field.interpolation == Interpolation::angle && field.unit != "deg" && field.unit != "rad") {
    return FieldRule::angle_in_deg_or_rad;
  }
  if (field.has_names && !(field.is_enumeration && is_integer(field.type))) {
    return FieldRule::names_are_for_enumerations;
  }
  if (is_integer(field.type)) {
    if (!is_whole(field.resolution)) return FieldRule::whole_resolution;
    if (!is_whole(field.minimum) || !is_whole(field.maximum)) return FieldRule::whole_range;
  }
  const bool is_comparable =
      (is_number && field.type != FieldType::quaternion) ||
      (field.sampled == Sampling::largest && field.type == FieldType::boolean);
  if (field.sampled != Sampling::latest && (!is_comparable || field.is_enumeration)) {
    return FieldRule::sampling_is_for_numbers;
  }
  if (field.sampled == Sampling::sum && field.when_missing == Missing::repeat) {
    return FieldRule::sums_are_not_repeated;
  }
  if (!has_range) return FieldRule::none;
  if (!lies_within(field.type, field.minimum, field.maximum)) return FieldRule::range_within_type;
  return field.resolution > 0 ? broken_step_rule(field) : FieldRule::none;
}

/// True for a name without control characters. Does not validate UTF-8.
constexpr bool is_in_one_line(std::string_view name) {
  for (const char c : name) {
    if ((c >= 0 && c < ' ') || c == 0x7F) return false;
  }
  return true;
}

/// Whether a field may have a value. The value must be a named value of an enumeration, or be
/// within the range of the field. A small tolerance allows the float that is nearest to a limit.
template <typename T>
constexpr bool is_allowed(T value, double minimum, double maximum, std::size_t names) {
  const auto number = static_cast<double>(value);
  if (names > 0) return number >= 0 && number < static_cast<double>(names);
  if (minimum == maximum) return true;
  const double low = field_rules_detail::size_of(minimum);
  const double high = field_rules_detail::size_of(maximum);
  const double slack = std::is_floating_point_v<T> ? 1e-6 * (low < high ? high : low) : 0;
  return number >= minimum - slack && number <= maximum + slack;
}

/// Whether `names` can be the names of the values 0, 1, 2, ... of an enumeration with this type and
/// range. The names must be distinct, and the type and the range must contain a value for each
/// name.
constexpr bool are_enumerators(std::span<const std::string_view> names, FieldType type,
                               double minimum, double maximum) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty() || !is_in_one_line(names[i])) return false;
    for (std::size_t k = 0; k < i; ++k) {
      if (names[k] == names[i]) return false;
    }
  }
  if (names.empty()) return true;
  const auto last = static_cast<double>(names.size() - 1);
  return field_rules_detail::lies_within(type, 0, last) && is_allowed(0, minimum, maximum, 0) &&
         is_allowed(names.size() - 1, minimum, maximum, 0);
}

/// Describes a broken rule, for example `its maximum is below its minimum`.
std::string_view complaint(FieldRule rule);

/// One function per rule. The functions are not `constexpr`, so a call at compile time is an error,
/// and the compiler's message names the broken rule.
namespace description_error {
inline void a_component_needs_a_name() {}
inline void a_field_needs_a_name() {}
inline void another_field_has_this_name() {}
inline void this_member_is_described_already() {}
inline void a_name_has_no_dots_or_brackets() {}
inline void numbers_are_finite() {}
inline void the_maximum_is_below_the_minimum() {}
inline void a_range_is_for_numbers() {}
inline void the_range_reaches_beyond_the_type() {}
inline void bits_and_resolution_are_redundant() {}
inline void bits_are_1_to_32() {}
inline void floats_in_bits_need_a_range() {}
inline void integers_have_bits_or_a_range() {}
inline void a_resolution_must_not_be_negative() {}
inline void the_resolution_is_larger_than_the_range() {}
inline void integers_have_a_whole_resolution() {}
inline void integers_have_a_whole_range() {}
inline void the_resolution_is_finer_than_a_float_of_this_range() {}
inline void the_range_has_more_than_2_to_the_32_steps() {}
inline void a_tolerance_is_for_numbers_and_not_negative() {}
inline void this_type_cannot_be_interpolated_so() {}
inline void there_is_nothing_between_enumerators() {}
inline void an_angle_is_in_deg_or_rad() {}
inline void names_are_for_enumerations() {}
inline void enumerators_have_names_and_values_of_their_own() {}
inline void a_default_lies_within_the_range() {}
inline void a_name_stands_in_one_line() {}
inline void the_largest_and_the_sum_are_of_numbers() {}
inline void a_sum_is_neutral_or_latched_when_missing() {}
inline void a_struct_inside_has_traits_of_its_own() {}
inline void a_part_goes_to_others_than_the_whole() {}
}  // namespace description_error

namespace describe_detail {

/// Calls the function that names the broken rule.
consteval void refuse(FieldRule rule) {
  using namespace description_error;
  switch (rule) {
    using enum FieldRule;
    case none:
      return;
    case finite_numbers:
      return numbers_are_finite();
    case maximum_above_minimum:
      return the_maximum_is_below_the_minimum();
    case FieldRule::range_is_for_numbers:
      return a_range_is_for_numbers();
    case resolution_not_negative:
      return a_resolution_must_not_be_negative();
    case tolerance_is_for_numbers:
      return a_tolerance_is_for_numbers_and_not_negative();
    case interpolation_fits_type:
      return this_type_cannot_be_interpolated_so();
    case nothing_between_enumerators:
      return there_is_nothing_between_enumerators();
    case angle_in_deg_or_rad:
      return an_angle_is_in_deg_or_rad();
    case FieldRule::names_are_for_enumerations:
      return description_error::names_are_for_enumerations();
    case whole_resolution:
      return integers_have_a_whole_resolution();
    case whole_range:
      return integers_have_a_whole_range();
    case range_within_type:
      return the_range_reaches_beyond_the_type();
    case resolution_within_range:
      return the_resolution_is_larger_than_the_range();
    case steps_fit_in_32_bits:
      return the_range_has_more_than_2_to_the_32_steps();
    case steps_differ_as_floats:
      return the_resolution_is_finer_than_a_float_of_this_range();
    case sampling_is_for_numbers:
      return the_largest_and_the_sum_are_of_numbers();
    case sums_are_not_repeated:
      return a_sum_is_neutral_or_latched_when_missing();
  }
}

}  // namespace describe_detail

}  // namespace muster
