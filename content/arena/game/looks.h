// What a client shows for the logical entities of its world.
#pragma once

#include <optional>
#include <vector>

#include "content/arena/game/presentation.h"
#include "content/arena/game/replicated.h"
#include "runtime/spawn/deferred_spawner.h"
#include "runtime/spawn/presentation.h"
#include "runtime/spawn/replicated_collection.h"

namespace arena {

/// What is shown for what cannot be loaded: a crate.
muster::Guid placeholder();

/// Shows each replicated entity that has a `PresentationOwner` in the variation that it wants, own
/// characters in first person as well. What comes late is seen late, and a crate stands where
/// something cannot be loaded. What it is given must outlive it.
class Looks {
 public:
  /// `views` spawns into the view, whose components are `session_components`.
  Looks(muster::Spawner& views, muster::BundleLoader& loader, const muster::World& world,
        const muster::ReplicatedCollection& collection);

  /// Once a frame, when the world has come to rest. `player` is who plays here.
  void update(muster::PlayerId player);

  /// Presentations that are there, without those that wait or could not be had.
  std::uint64_t complete_count() const { return views_.counters().completed; }
  std::vector<muster::Error> take_problems() { return views_.take_problems(); }

 private:
  void show(muster::EntityId entity, muster::PlayerId player);
  std::optional<muster::Guid> asset_of(muster::EntityId entity) const;
  void show_as(muster::EntityId entity, std::uint32_t type, const muster::Guid& owner);

  const muster::World& world_;
  const muster::ReplicatedCollection& collection_;
  muster::DeferredSpawner views_;
  muster::Presentations presentations_;
  muster::ComponentHandle<PresentationOwner> owner_;
  muster::ComponentHandle<muster::PrefabLink> link_;
  muster::ComponentHandle<ReplicatedEntity> replicated_;
};

}  // namespace arena
