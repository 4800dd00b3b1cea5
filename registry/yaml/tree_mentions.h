// Finds references in a tree, like the scanner in text.
#pragma once

#include <functional>
#include <string_view>

#include "registry/yaml/scanner.h"
#include "registry/yaml/tree.h"

namespace muster::yaml {

/// Finds every mention of a guid in the tree of a plain file, in order of appearance and in any
/// spelling: in braces or on separate lines, with quoted keys, with comments in between. `text` is
/// the parsed text. Offsets are those of the guid's value (for `val0..val3` of the mapping, for
/// JSON in a scalar of the scalar). Comments and prose are not mentions. Skips null and invalid
/// guids.
void find_mentions(const Tree& tree, std::string_view text,
                   const std::function<void(const Mention&)>& found);

}  // namespace muster::yaml
