// Numbers and nouns in messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster {

/// `1 bundle`, `2 bundles`. `many` is the plural if it is not formed with an s.
std::string counted(std::size_t count, std::string_view one, std::string_view many = {});

/// `a Prefab`, `an ItemRegistry`: depends on the first letters of the noun.
std::string with_article(std::string_view noun);

}  // namespace muster
