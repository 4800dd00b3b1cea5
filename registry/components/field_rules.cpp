#include "registry/components/field_rules.h"

namespace muster {

std::string_view complaint(FieldRule rule) {
  switch (rule) {
    using enum FieldRule;
    case none:
      break;
    case finite_numbers:
      return "has a range, resolution or tolerance that is not a finite number";
    case maximum_above_minimum:
      return "has a maximum below its minimum";
    case range_is_for_numbers:
      return "has a range or a resolution, but is not a number";
    case resolution_not_negative:
      return "has a negative resolution";
    case tolerance_is_for_numbers:
      return "has a tolerance that is negative, or is not a number";
    case interpolation_fits_type:
      return "has a type that does not support this interpolation";
    case nothing_between_enumerators:
      return "is an enumeration, whose values cannot be interpolated";
    case angle_in_deg_or_rad:
      return "is an angle, but its unit is neither \"deg\" nor \"rad\"";
    case names_are_for_enumerations:
      return "names its values, but is not an integer";
    case whole_resolution:
      return "is an integer with a resolution that is not whole";
    case whole_range:
      return "is an integer with a range that is not whole";
    case range_within_type:
      return "has a range that reaches beyond its type";
    case resolution_within_range:
      return "has a resolution larger than its range";
    case steps_fit_in_32_bits:
      return "has more than 2^32 steps in its range";
    case steps_differ_as_floats:
      return "has a resolution finer than a float of its range";
    case sampling_is_for_numbers:
      return "is sampled as 'largest' or 'sum', but is not a number";
    case sums_are_not_repeated:
      return "is a sum that a missing command would repeat";
  }
  return "makes sense";
}

}  // namespace muster
