// Presentations: the entities that a client shows for entities of the game's world.
#pragma once

#include <compare>
#include <cstdint>
#include <map>

#include "registry/base/result.h"
#include "runtime/spawn/deferred_spawner.h"

namespace muster {

/// Stores which presentation shows which owner. An owner has at most one presentation of each type.
/// For example, the first and third person of a character are two types. Presentations are in a
/// separate world, the view, which is never restored. Their owners are in the game's world, which
/// can be restored. An owner with a signature is identified by it, so it keeps its presentation
/// when it is computed again under another id. Other owners are identified by their ids.
///
/// A presentation despawns with its owner, and when `show` is called with another variation. No
/// call waits for a disk: a presentation whose bundle is not loaded is an entity at once. The
/// deferred spawner completes it, and handles failures (report, counter, placeholder). Both worlds
/// and the spawner must outlive this object. One thread at a time.
///
///     Presentations presentations(view_spawner, game);
///     ...                                        // a tick, or several computed again
///     presentations.show(hero, key);             // once a frame, for everything visible
///     view_spawner.update();
///     presentations.update();
///     view.process_despawns();
class Presentations {
 public:
  /// `views` spawns into the view. Requires: two different worlds.
  Presentations(DeferredSpawner& views, const World& game);

  /// Shows `owner` by the presentation with this key, and returns its root in the view. Looks it up
  /// by the full key (owner's asset, platform, type, variation) and spawns it. The previous
  /// presentation stays until the new one is complete or has a placeholder, to avoid flicker; if it
  /// is requested again before that, it is kept. Nothing changes if the presentation is already
  /// shown, or on failure. Fails with `not_found` if no presentation has that key, and with
  /// `invalid_argument` if the owner is gone or despawning.
  Result<EntityId> show(EntityId owner, const PresentationKey& key);

  /// Despawns the presentation of `owner`, if there is one.
  void hide(EntityId owner, std::uint32_t type);

  /// The visible presentation of `owner` in the view: the previous one while the new one waits for
  /// its bundle. Null without one.
  EntityId shown(EntityId owner, std::uint32_t type) const;
  /// The owner of a presentation; null if `presentation` is none, or its owner is gone. Takes time
  /// linear in the number of presentations.
  EntityId owner_of(EntityId presentation) const;

  /// Despawns every presentation whose owner is gone or despawning, and every replaced one. Call it
  /// once a frame, after the game's last tick. Returns how many owners are gone.
  std::uint32_t update();

 private:
  struct OwnerKey {
    Signature signature;  ///< None for an owner without a signature.
    EntityId entity;      ///< Null for an owner with a signature.
    std::uint32_t type = 0;
    friend auto operator<=>(const OwnerKey&, const OwnerKey&) = default;
  };
  struct Shown {
    PresentationKey key;
    EntityId root;
    EntityId before;  ///< Another variation, visible until the root is ready; or null.
    PresentationKey before_key;
  };
  OwnerKey key_of(EntityId owner, std::uint32_t type) const;
  EntityId find_owner(const OwnerKey& at) const;
  void despawn(EntityId presentation);

  DeferredSpawner& views_;
  const World& game_;
  std::map<OwnerKey, Shown> shown_;
};

}  // namespace muster
