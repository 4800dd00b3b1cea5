// Finds mentions in a prefab or level that exist only in overrides without effect.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "registry/yaml/scanner.h"

namespace muster {

/// Removes the mentions in overrides without effect from `mentions`. `mentions` contains all
/// mentions in `text`, in order. An override has no effect if its target is not an object of its
/// instance's source. Such an override mentions its target and the object that it would set.
/// Returns the number of overrides without effect. Parses only instances that mention a target of
/// another prefab.
std::size_t remove_unused_mentions(std::string_view text, std::vector<yaml::Mention>& mentions);

}  // namespace muster
