// A tree as text again.
#pragma once

#include <string>

#include "registry/yaml/tree.h"

namespace muster {

/// Writes a tree as YAML that `yaml::read` reads back to an equal tree (kinds, keys, scalars,
/// styles, document ids): in Unity's dialect when its documents have ids, else plain. Line breaks
/// inside unquoted scalars are written as escapes in double quotes.
std::string tree_to_yaml(const yaml::Tree& tree);

}  // namespace muster
