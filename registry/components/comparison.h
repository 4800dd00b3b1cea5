// Compares two states of a component within the tolerances of its fields.
#pragma once

#include <optional>
#include <string>

#include "registry/components/component.h"

namespace muster {

/// A difference between two states in the value of a field. The difference exceeds the field's
/// tolerance.
struct FieldDifference {
  /// The field. The pointer is valid as long as the component's description.
  const FieldDescription* field = nullptr;
  std::uint32_t element = 0;  ///< The index of the element in an array field.
  double amount = 0;          ///< The difference in the field's unit; 1 for text and references.

  /// For example, `position: differs by 0.25 m (tolerance 0.01)`.
  std::string to_string() const;
};

/// Compares two states field by field and returns the first difference that exceeds a tolerance.
/// The difference of two angles is measured along the shorter arc. A rotation is equal to its
/// negative, and NaN is equal to NaN. Ignores padding and the bytes after the end of a text.
/// Requires: `left` and `right` are components of this description.
std::optional<FieldDifference> first_difference(const ComponentDescription& component, Bytes left,
                                                Bytes right);

}  // namespace muster
