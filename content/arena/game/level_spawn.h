// Spawns the entities of a level.
#pragma once

#include "runtime/spawn/spawner.h"

namespace arena {

/// Spawns a level: one entity for its definition and, as its children, every layer whose prefab is
/// in this build, in the order of the definition. A server's build does not contain the layers that
/// only clients show. Fails like `Spawner::spawn`.
muster::Result<muster::Spawned> spawn_level(muster::Spawner& spawner, const muster::Guid& level);

}  // namespace arena
