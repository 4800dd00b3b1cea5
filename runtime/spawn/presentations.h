// Shows entities of the game's world through presentations, which are entities in a second world.
#pragma once

#include <compare>
#include <cstdint>
#include <map>

#include "registry/base/result.h"
#include "registry/base/type_id.h"
#include "runtime/spawn/deferred_spawner.h"

namespace muster {

/// Stores the presentations of each owner. An owner is an entity of the game's world, which can be
/// restored. Its presentations are entities of a separate world, the view, which is never restored.
/// An owner has at most one presentation of each type; for example, the first person and the third
/// person of a character are two types. An owner with a signature is identified by the signature.
/// So the owner keeps its presentation if a recomputed tick gives the owner another id. An owner
/// without a signature is identified by its id.
///
/// A presentation despawns with its owner, and when `show` is called with another variation. No
/// call waits for a disk: the entity of a presentation exists at once, even if its bundle is not
/// loaded. The deferred spawner completes the presentation and handles failures. Both worlds and
/// the spawner must outlive this object. Only one thread at a time may use this object.
///
///     Presentations presentations(view_spawner, game);
///     ...                                        // a tick, or several computed again
///     presentations.show(hero, key);             // once a frame, for everything visible
///     view_spawner.update();
///     presentations.update();
///     view.process_despawns();
class Presentations {
 public:
  /// `views` spawns into the view. Requires: the view and `game` are different worlds.
  Presentations(DeferredSpawner& views, const World& game);

  /// Spawns the presentation with this key (owner's asset, platform, type and variation) for
  /// `owner`, and returns its root in the view. To avoid flicker, the previous presentation stays
  /// until the new presentation is complete or has a placeholder. If `show` requests the previous
  /// presentation again before that, the previous presentation is kept. Nothing changes if the
  /// presentation is already shown, or on failure. Fails with `not_found` if no presentation has
  /// that key, and with `invalid_argument` if the owner no longer exists or is despawning.
  Result<EntityId> show(EntityId owner, const PresentationKey& key);

  /// Despawns the presentation of `owner`, if there is one.
  void hide(EntityId owner, PresentationType type);

  /// The visible presentation of `owner` in the view; null if `owner` has no presentation. While a
  /// new presentation waits for its bundle, this is the previous presentation.
  EntityId shown(EntityId owner, PresentationType type) const;
  /// The owner of a presentation; null if `presentation` is not a presentation, or if its owner no
  /// longer exists. The time is linear in the number of presentations.
  EntityId owner_of(EntityId presentation) const;

  /// Despawns every presentation whose owner no longer exists or is despawning, and every
  /// presentation that was replaced. Returns the number of presentations that lost their owner.
  /// Call this function once a frame, after the last tick of the game.
  std::uint32_t update();

 private:
  struct OwnerKey {
    Signature signature;  ///< The signature of the owner; empty if the owner has no signature.
    /// The id of an owner without a signature; null for an owner with a signature.
    EntityId entity;
    PresentationType type{};
    friend auto operator<=>(const OwnerKey&, const OwnerKey&) = default;
  };
  struct Shown {
    PresentationKey key;
    EntityId root;
    /// The previous presentation, which is visible until `root` is ready; null if there is no
    /// previous presentation.
    EntityId before;
    PresentationKey before_key;
  };
  OwnerKey key_of(EntityId owner, PresentationType type) const;
  EntityId find_owner(const OwnerKey& at) const;
  void despawn(EntityId presentation);

  DeferredSpawner& views_;
  const World& game_;
  std::map<OwnerKey, Shown> shown_;
};

}  // namespace muster
