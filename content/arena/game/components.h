// Every component of the arena.
#pragma once

#include <muster/component.h>

#include <vector>

namespace arena {

/// The descriptions of all components, sorted by name. Content, snapshots and the inspector can use
/// only these components.
std::vector<muster::ComponentDescription> arena_components();

}  // namespace arena
