// Detects an asset whose main object is truncated.
#pragma once

#include <string_view>

namespace muster {

/// True if a text in Unity's dialect has a main object (114, 11400000) that ends before it has
/// named its script: at the end of the file, or where another object begins. A lost script,
/// `{fileID: 0}`, counts as a name. Does not parse the text, because such a text may not be
/// parseable.
bool is_main_object_cut(std::string_view text);

}  // namespace muster
