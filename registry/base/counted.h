// Formats numbers and nouns for messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster {

/// A number with its noun: `1 bundle`, `2 bundles`. `many` is the plural; if empty, the plural is
/// `one` with an s.
std::string counted(std::size_t count, std::string_view one, std::string_view many = {});

/// A noun with its indefinite article: `a Prefab`, `an ItemRegistry`.
std::string with_article(std::string_view noun);

}  // namespace muster
