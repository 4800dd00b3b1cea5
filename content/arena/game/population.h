// The entities of a match that travel: made by type id, known by network id.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "content/arena/game/replicated.h"
#include "registry/base/type_id.h"
#include "runtime/replication/world_sender.h"
#include "runtime/spawn/replicated_collection.h"
#include "runtime/spawn/spawner.h"

namespace arena {

/// Type ids of the registry of replicated entities; they never change.
namespace types {
inline constexpr muster::TypeId kPlayerState(0);
inline constexpr muster::TypeId kGameMode(1);
inline constexpr muster::TypeId kCharacter(2);
inline constexpr muster::TypeId kCrate(3);
inline constexpr muster::TypeId kBarrel(4);
inline constexpr muster::TypeId kToxicBarrel(5);
inline constexpr muster::TypeId kDoor(6);
inline constexpr muster::TypeId kCapturePoint(7);
inline constexpr muster::TypeId kHealthPickup(8);
inline constexpr muster::TypeId kAmmoPickup(9);
inline constexpr muster::TypeId kPlatform(10);
inline constexpr muster::TypeId kFlag(11);
inline constexpr muster::TypeId kProjectile(14);
inline constexpr muster::TypeId kAbilities(15);
}  // namespace types

/// Makes and removes the server's replicated entities. What it is given must outlive it.
class Population {
 public:
  Population(muster::Spawner& spawner, muster::ReplicatedCollection& collection,
             muster::WorldSender& sender, std::uint32_t registry);

  /// Makes an entity of a type, gives it the lowest free network id, and has it sent. Null when
  /// there is no such type, or no id is free. Its prefab must have been prepared.
  muster::EntityId spawn(muster::TypeId type, muster::PlayerId player = muster::PlayerId::none);
  /// Has an entity sent that stands in the level, under the id that it has there. False when it is
  /// of no type.
  bool adopt(muster::EntityReference id, muster::EntityId entity);
  void despawn(muster::EntityId entity) { spawner_.world().request_despawn(entity); }
  /// All that is a player's.
  void despawn_all_of(muster::PlayerId player);

  muster::EntityReference id_of(muster::EntityId entity) const;
  muster::World& world() { return spawner_.world(); }

 private:
  std::optional<muster::TypeId> type_of(muster::EntityId entity);

  muster::Spawner& spawner_;
  muster::ReplicatedCollection& collection_;
  muster::WorldSender& sender_;
  std::uint32_t registry_;
  muster::ComponentHandle<ReplicatedEntity> replicated_;
};

}  // namespace arena
