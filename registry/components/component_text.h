// Writes the values of a component as text.
#pragma once

#include <string>

#include "registry/components/component.h"

namespace muster {

struct ComponentTextOptions {
  std::size_t indent = 0;   ///< The number of spaces before each line.
  bool with_units = false;  ///< Whether to write the unit after a value as a comment: `# m`.
};

/// Writes a component as plain YAML, one field per line. The fields of a nested struct are indented
/// below the struct's name:
///
///     travel: {x: 0, y: 4, z: 0}  # m
///     phase: running
///
/// Each number is written with the fewest digits from which a parser reads the same number. Cooking
/// the text gives the same bytes, except for padding and NaN. Requires: `value` is a component of
/// this description.
std::string component_text(const ComponentDescription& component, Bytes value,
                           const ComponentTextOptions& options = {});

}  // namespace muster
