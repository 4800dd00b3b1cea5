// Writes a YAML tree as text.
#pragma once

#include <string>

#include "registry/yaml/tree.h"

namespace muster {

/// Writes a tree as YAML. `yaml::read` reads the result as an equal tree, with equal kinds, keys,
/// scalars, styles and document ids. If the documents have ids, the text is in Unity's dialect;
/// otherwise it is plain YAML. An unquoted scalar with a line break is written in double quotes
/// with an escape.
std::string tree_to_yaml(const yaml::Tree& tree);

}  // namespace muster
