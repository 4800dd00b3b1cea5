// Which effects a client plays for what its world says: nothing of them is on the wire.
#pragma once

#include "content/arena/game/combat.h"
#include "content/arena/game/match.h"
#include "content/arena/game/replicated.h"
#include "runtime/spawn/effects.h"
#include "runtime/spawn/replicated_collection.h"

namespace arena {

/// Asks for effects from replicated ticks: "fired at 90". Each is asked for every frame, and played
/// once. What it is given must outlive it.
class EffectCues {
 public:
  EffectCues(const muster::World& world, const muster::ReplicatedCollection& collection,
             muster::EffectPlayer& player);

  /// `newest` is the tick that the world shows, which was the truth at `now`.
  void request(muster::Tick newest, muster::Time now);

 private:
  struct Moment {
    muster::EntityReference entity;
    std::uint32_t channel = 0;  ///< Which of the entity's ticks it is.
    std::uint32_t tick = 0;     ///< 0 for never.
  };
  void request_of(muster::EntityReference id, muster::EntityId entity);
  void play(const Moment& moment, muster::TypeId effect, const muster::Vec3& place);
  void play_line(const Moment& moment, muster::TypeId effect, const muster::Vec3& start,
                 const muster::Vec3& end);
  muster::Time time_of(const Moment& moment) const;

  const muster::World& world_;
  const muster::ReplicatedCollection& collection_;
  muster::EffectPlayer& player_;
  muster::Tick newest_;
  muster::Time now_;
  muster::ComponentHandle<Transform> transform_;
  muster::ComponentHandle<Health> health_;
  muster::ComponentHandle<Explosive> explosive_;
  muster::ComponentHandle<Projectile> projectile_;
  muster::ComponentHandle<Pickup> pickup_;
};

}  // namespace arena
