// Finds references in a tree. `scanner.h` finds references in text.
#pragma once

#include <functional>
#include <string_view>

#include "registry/yaml/scanner.h"
#include "registry/yaml/tree.h"

namespace muster::yaml {

/// Finds every mention of a guid in the tree of a plain file, in order of appearance. `text` is the
/// text from which the tree was parsed. The offset of a mention is the offset of the guid's value.
/// For `val0..val3` it is the offset of the mapping, and for JSON in a scalar the offset of the
/// scalar. Skips null guids and invalid guids.
void find_mentions(const Tree& tree, std::string_view text,
                   const std::function<void(const Mention&)>& found);

}  // namespace muster::yaml
