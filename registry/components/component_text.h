// Prints a component's values as readable text.
#pragma once

#include <string>

#include "registry/components/component.h"

namespace muster {

struct ComponentTextOptions {
  std::size_t indent = 0;   ///< Blanks before each line.
  bool with_units = false;  ///< Adds `# m` after values that have a unit.
};

/// Writes a component as plain YAML, one field per line, nested structs indented below their names:
///
///     travel: {x: 0, y: 4, z: 0}  # m
///     phase: running
///
/// Numbers have the fewest digits that read back as the same number. Cooking the text gives the
/// same bytes, except padding and NaN. Requires: a component of this description.
std::string component_text(const ComponentDescription& component, Bytes value,
                           const ComponentTextOptions& options = {});

}  // namespace muster
