// Every component of the arena.
#pragma once

#include <vector>

#include "registry/components/component.h"

namespace arena {

/// The descriptions of all components, sorted by name. Content, snapshots and the inspector can use
/// only these components.
std::vector<muster::ComponentDescription> arena_components();

}  // namespace arena
