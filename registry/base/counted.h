// Numbers and names of things in sentences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster {

/// `1 bundle`, `2 bundles`; for nouns that do not end in a plain s, `many` is the plural.
std::string counted(std::size_t count, std::string_view one, std::string_view many = {});

/// `a Prefab`, `an ItemRegistry`, by what the noun begins with.
std::string with_article(std::string_view noun);

}  // namespace muster
