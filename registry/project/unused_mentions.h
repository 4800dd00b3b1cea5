// Finds mentions in a prefab or level that exist only in overrides without effect.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "registry/yaml/scanner.h"

namespace muster {

/// Removes from `mentions`, which are those of `text` in order, the mentions of overrides whose
/// target is not an object of their instance's source: the target, and the object that the override
/// would set. Such overrides have no effect, so their mentions are not needed. Returns the number
/// of these overrides. Parses only instances that mention a target of another prefab.
std::size_t remove_unused_mentions(std::string_view text, std::vector<yaml::Mention>& mentions);

}  // namespace muster
