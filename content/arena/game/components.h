// Every component of the arena.
#pragma once

#include <vector>

#include "registry/components/component.h"

namespace arena {

/// The descriptions of all components, sorted by name. A component that is missing here is unknown
/// to the bundler, to the wire and to the inspector.
std::vector<muster::ComponentDescription> arena_components();

}  // namespace arena
