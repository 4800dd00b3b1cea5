// Compares two states of a component within the tolerances of its fields.
#pragma once

#include <optional>
#include <string>

#include "registry/components/component.h"

namespace muster {

/// A difference between two states that exceeds the field's tolerance.
struct FieldDifference {
  const FieldDescription* field = nullptr;  ///< Valid as long as the description.
  std::uint32_t element = 0;                ///< Index in an array.
  double amount = 0;                        ///< In the field's unit; 1 for text and references.

  /// `position: differs by 0.25 m (tolerance 0.01)`
  std::string to_string() const;
};

/// Compares two states field by field and returns the first difference that exceeds a tolerance.
/// Angles are compared by the shorter way; a rotation equals its negative; NaN equals NaN. Padding
/// and the bytes after the end of a text are ignored. Requires: two components of this description.
std::optional<FieldDifference> first_difference(const ComponentDescription& component, Bytes left,
                                                Bytes right);

}  // namespace muster
