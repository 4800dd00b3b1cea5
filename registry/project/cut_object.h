// Whether the beginning of an asset's main object is missing its end.
#pragma once

#include <string_view>

namespace muster {

/// True when a text in Unity's dialect has a main object (114, 11400000) that ends before it has
/// named its script: with the file, or where another object of the file begins. A lost script,
/// `{fileID: 0}`, is a name. Nothing is parsed: with such a fault inside, it could not be.
bool is_main_object_cut(std::string_view text);

}  // namespace muster
