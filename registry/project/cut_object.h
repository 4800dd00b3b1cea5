// Detects an asset whose main object is truncated.
#pragma once

#include <string_view>

namespace muster {

/// True if a text in Unity's dialect has a main object (class 114, file id 11400000) that ends
/// before the key of its script. The object ends at the end of the file, or where the next object
/// begins. The value `{fileID: 0}` (a lost script) counts as a script. Searches the text without
/// parsing it, because a truncated text may not be valid YAML.
bool is_main_object_cut(std::string_view text);

}  // namespace muster
