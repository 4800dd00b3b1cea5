#include "content/arena/game/components.h"

#include <muster/hit_volume.h>

#include <algorithm>

#include "content/arena/game/combat.h"
#include "content/arena/game/effects.h"
#include "content/arena/game/match.h"
#include "content/arena/game/movement.h"
#include "content/arena/game/presentation.h"
#include "content/arena/game/replicated.h"

namespace arena {

std::vector<muster::ComponentDescription> arena_components() {
  std::vector<muster::ComponentDescription> components = {
      muster::description_of<ReplicatedEntity>(),
      muster::description_of<Transform>(),
      muster::description_of<Team>(),
      muster::description_of<PlayerState>(),
      muster::description_of<AbilityState>(),
      muster::description_of<SpectatorCamera>(),
      muster::description_of<CharacterMovement>(),
      muster::description_of<Door>(),
      muster::description_of<Platform>(),
      muster::description_of<Spin>(),
      muster::description_of<Health>(),
      muster::description_of<Projectile>(),
      muster::description_of<Gun>(),
      muster::description_of<Item>(),
      muster::description_of<Explosive>(),
      muster::description_of<GameMode>(),
      muster::description_of<CapturePoint>(),
      muster::description_of<Pickup>(),
      muster::description_of<SpawnPoint>(),
      muster::description_of<SpatialEffect>(),
      muster::description_of<HitscanEffect>(),
      muster::description_of<PresentationOwner>(),
      muster::description_of<PresentationEntity>(),
      muster::description_of<muster::HitVolume>(),
  };
  std::ranges::sort(components, {}, &muster::ComponentDescription::name);
  return components;
}

}  // namespace arena
