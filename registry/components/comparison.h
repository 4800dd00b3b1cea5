// Whether two states of a component are the same, as far as anybody would notice.
#pragma once

#include <optional>
#include <string>

#include "registry/components/component.h"

namespace muster {

/// Where two states differ by more than the field's tolerance.
struct FieldDifference {
  const FieldDescription* field = nullptr;  ///< Lives as long as the description.
  std::uint32_t element = 0;                ///< Of an array.
  double amount = 0;  ///< Between numbers, in the field's unit; 1 for text and references.

  /// `position: differs by 0.25 m (tolerance 0.01)`
  std::string to_string() const;
};

/// Compares two states field by field and returns the first that differs by more than its
/// tolerance. Angles are compared the short way round; a rotation and its negative are one; a value
/// that is no number equals itself. Padding does not count, nor what lies behind the end of a text.
/// Requires: two components of this description.
std::optional<FieldDifference> first_difference(const ComponentDescription& component, Bytes left,
                                                Bytes right);

}  // namespace muster
