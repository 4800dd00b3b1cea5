// The object form back to a YAML tree: for inspection and extraction, and to prove that cooking
// loses nothing.
#pragma once

#include "registry/yaml/tree.h"
#include "runtime/bundle/object_reader.h"

namespace muster {

/// Returns the tree that `encode_object` was given, but for positions and for the difference
/// between block and flow style. The reader's bytes must outlive the tree.
yaml::Tree object_to_tree(const ObjectReader& object);

}  // namespace muster
