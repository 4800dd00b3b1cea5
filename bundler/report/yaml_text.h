// Writes a tree as text.
#pragma once

#include <string>

#include "registry/yaml/tree.h"

namespace muster {

/// Writes a tree as YAML that `yaml::read` reads back as an equal tree (kinds, keys, scalars,
/// styles, document ids): in Unity's dialect if its documents have ids, otherwise plain. Line
/// breaks inside unquoted scalars are written as escapes in double quotes.
std::string tree_to_yaml(const yaml::Tree& tree);

}  // namespace muster
