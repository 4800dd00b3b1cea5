// Converts the object form back to a YAML tree, for `muster inspect` and `muster extract`, and to
// test that cooking loses nothing.
#pragma once

#include "registry/yaml/tree.h"
#include "runtime/bundle/object_reader.h"

namespace muster {

/// Returns the tree that was passed to `encode_object`, except for positions and the difference
/// between block and flow style. The reader's bytes must outlive the tree.
yaml::Tree object_to_tree(const ObjectReader& object);

}  // namespace muster
