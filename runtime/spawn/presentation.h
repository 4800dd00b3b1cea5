// What a client shows for the entities that are only logic.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "registry/vocabulary/result.h"
#include "runtime/spawn/spawner.h"

namespace muster {

/// Remembers which presentation shows which owner: at most one of each type (a character's first
/// and third person are two types). A presentation despawns with its owner, and when its owner
/// wants another variation. The spawner must outlive it. One thread at a time.
class Presentations {
 public:
  explicit Presentations(Spawner& spawner) : spawner_(spawner) {}

  /// Makes sure that the presentation with this key shows `owner`, and returns its root: looks it
  /// up by the full key (owner's asset, platform, type, variation), spawns it, and requests the
  /// despawn of the one it takes the place of. Nothing changes when it is shown already, or on
  /// failure. Fails with `not_found` when there is none of that key, with `invalid_argument` when
  /// the owner is gone or about to go, or as `Spawner::spawn` does.
  Result<EntityId> show(EntityId owner, const PresentationKey& key);

  /// Requests the despawn of what shows `owner`; nothing happens when nothing does.
  void hide(EntityId owner, std::uint32_t type);

  /// What shows `owner`; null when nothing does.
  EntityId shown(EntityId owner, std::uint32_t type) const;
  /// Whom a presentation shows; null when it is none.
  EntityId owner_of(EntityId presentation) const;

  /// Requests the despawn of every presentation whose owner is gone or about to go. Call it once a
  /// tick, before `World::process_despawns`. Returns how many those were.
  std::uint32_t update();

 private:
  struct Shown {
    PresentationKey key;
    EntityId root;
  };
  Spawner& spawner_;
  std::map<std::pair<EntityId, std::uint32_t>, Shown> shown_;  ///< By owner and type.
  std::map<EntityId, EntityId> owners_;                        ///< By presentation.
};

}  // namespace muster
