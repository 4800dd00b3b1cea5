#include "content/arena/game/level_spawn.h"

#include "runtime/spawn/level.h"

namespace arena {

using muster::Guid;
using muster::Result;
using muster::Spawned;

Result<Spawned> spawn_level(muster::Spawner& spawner, const Guid& level) {
  Result<Spawned> spawned = spawner.spawn(level);
  if (!spawned) return spawned;
  Result<std::vector<muster::LevelLayer>> layers = muster::level_layers(spawner.store(), level);
  if (!layers) return muster::fail(layers.error());
  Spawned& total = spawned.value();
  for (const muster::LevelLayer& layer : layers.value()) {
    Result<Spawned> below = spawner.spawn(layer.prefab, total.root);
    if (!below) return below;
    total.entities += below.value().entities;
    total.components += below.value().components;
    total.other_components += below.value().other_components;
  }
  return spawned;
}

}  // namespace arena
