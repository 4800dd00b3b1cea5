// References out of a tree: what the scanner finds in text, where the text has been parsed.
#pragma once

#include <functional>
#include <string_view>

#include "registry/yaml/scanner.h"
#include "registry/yaml/tree.h"

namespace muster::yaml {

/// Finds every mention of a guid in the tree of a plain file, in order of appearance, however it is
/// spelled: in braces or on lines of its own, with quoted keys, with comments in between. `text` is
/// what the tree was read from; offsets are of the guid's value in it (of the mapping, for
/// `val0..val3`; of the scalar, for JSON inside one). Comments and prose are no mentions. Null
/// guids, and what is none, are passed over.
void find_mentions(const Tree& tree, std::string_view text,
                   const std::function<void(const Mention&)>& found);

}  // namespace muster::yaml
