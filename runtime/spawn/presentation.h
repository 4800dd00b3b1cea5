// What a client shows for the entities that are only logic.
#pragma once

#include <compare>
#include <cstdint>
#include <map>

#include "registry/base/result.h"
#include "runtime/spawn/deferred_spawner.h"

namespace muster {

/// Remembers which presentation shows which owner: at most one of each type (a character's first
/// and third person are two types). Presentations live in a world of their own, the view, which
/// never goes back in time; their owners live in the game's world, which may. An owner with a
/// signature is known by it, so it keeps its presentation when it is computed again under another
/// id; any other is known by its id.
///
/// A presentation despawns with its owner, and when its owner wants another variation. Nothing here
/// waits for a disk: a presentation whose bundle is on its way is an entity at once and is
/// completed by the deferred spawner, which also tells what could not be loaded, counts it, and
/// lets a placeholder stand there. Both worlds and the spawner must outlive it. One thread at a
/// time.
///
///     Presentations presentations(view_spawner, game);
///     ...                                        // a tick, or several computed again
///     presentations.show(hero, key);             // once a frame, for all that should be seen
///     view_spawner.update();
///     presentations.update();
///     view.process_despawns();
class Presentations {
 public:
  /// `views` spawns into the view. Requires: two worlds.
  Presentations(DeferredSpawner& views, const World& game);

  /// Makes sure that the presentation with this key shows `owner`, and returns its root in the
  /// view: looks it up by the full key (owner's asset, platform, type, variation) and spawns it.
  /// The one that it takes the place of stays until the new one is complete or has a placeholder,
  /// so that nothing blinks; it is taken back when it is wanted again by then. Nothing changes when
  /// it is shown already, or on failure. Fails with `not_found` when there is none of that key, or
  /// with `invalid_argument` when the owner is gone or about to go.
  Result<EntityId> show(EntityId owner, const PresentationKey& key);

  /// Requests the despawn of what shows `owner`; nothing happens when nothing does.
  void hide(EntityId owner, std::uint32_t type);

  /// What shows `owner`, in the view: the one before, as long as the new one waits for its bundle.
  /// Null when nothing does.
  EntityId shown(EntityId owner, std::uint32_t type) const;
  /// Whom a presentation shows; null when it is none, or its owner is gone. Takes time linear in
  /// what is shown.
  EntityId owner_of(EntityId presentation) const;

  /// Requests the despawn of every presentation whose owner is gone or about to go, and of those
  /// that others have taken the place of. Call it once a frame, when the game's world has come to
  /// rest. Returns how many owners are gone.
  std::uint32_t update();

 private:
  struct Place {
    Signature signature;  ///< None for an owner without.
    EntityId entity;      ///< Null for an owner with a signature.
    std::uint32_t type = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Shown {
    PresentationKey key;
    EntityId root;
    EntityId before;  ///< Another variation, seen until the root is there; or null.
    PresentationKey before_key;
  };
  Place place_of(EntityId owner, std::uint32_t type) const;
  EntityId owner_at(const Place& place) const;
  void despawn(EntityId presentation);

  DeferredSpawner& views_;
  const World& game_;
  std::map<Place, Shown> shown_;
};

}  // namespace muster
