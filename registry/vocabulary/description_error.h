// What a compiler says of a description that makes no sense.
#pragma once

#include "registry/vocabulary/field_rules.h"

namespace muster {

/// The rules of descriptions. None can be called at compile time, so breaking one is an error that
/// names it.
namespace description_error {
inline void a_component_needs_a_name() {}
inline void a_field_needs_a_name() {}
inline void this_name_is_taken_by_another_field() {}
inline void this_member_is_described_already() {}
inline void a_name_has_no_dots_or_brackets() {}
inline void numbers_are_finite() {}
inline void the_maximum_is_below_the_minimum() {}
inline void a_range_is_for_numbers() {}
inline void the_range_reaches_beyond_the_type() {}
inline void bits_and_resolution_say_the_same_thing() {}
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

/// Names the rule that is broken: none of these functions can be called at compile time.
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
