// Finds references in a tree, like the scanner in text.
#pragma once

#include <functional>
#include <string_view>

#include "registry/yaml/scanner.h"
#include "registry/yaml/tree.h"

namespace muster::yaml {

/// Finds every mention of a guid in the tree of a plain file, in order of appearance and in any
/// spelling: in braces or on separate lines, with quoted keys, with comments in between. `text` is
/// the parsed text. The offset of a mention is the offset of the guid's value. For `val0..val3` it
/// is the offset of the mapping, and for JSON in a scalar the offset of the scalar. Comments and
/// prose are not mentions. Skips null and invalid guids.
void find_mentions(const Tree& tree, std::string_view text,
                   const std::function<void(const Mention&)>& found);

}  // namespace muster::yaml
