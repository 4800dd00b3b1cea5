// What goes on in a match without people: things move, break, open, fire and come again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "content/arena/game/combat.h"
#include "content/arena/game/match.h"
#include "content/arena/game/movement.h"
#include "content/arena/game/population.h"
#include "registry/base/seed.h"
#include "runtime/session/game_loop.h"
#include "runtime/spawn/level.h"

namespace arena {

/// The course of a match, the same for the same seed and players. All of it stands still while it
/// is told to, so that clients can be compared with the server.
class Course {
 public:
  /// The population must outlive it.
  Course(Population& population, std::uint64_t seed);

  /// The first entities, besides those that stand in the level: what of these can break, does.
  void begin(std::span<const muster::PlacedEntity> placed);
  /// A player has come, or gone.
  void join(muster::PlayerId player);
  void leave(muster::PlayerId player);

  void stand_still() { stands_still_ = true; }

  /// The server's module: one system that runs each tick.
  muster::GameModule module();

 private:
  struct Walker {
    muster::PlayerId player = muster::PlayerId::none;
    muster::EntityId character;
    muster::EntityId abilities;
    float angle = 0;
  };
  struct Shot {
    muster::EntityId projectile;
    std::uint32_t ends_tick = 0;
  };

  muster::EntityId place(muster::TypeId type);
  void tick(muster::Tick tick);
  void walk(std::uint32_t tick);
  void fire(const Walker& walker, std::uint32_t tick);
  void end_shots(std::uint32_t tick);
  void move_things(std::uint32_t tick);
  void hurt_things(std::uint32_t tick);
  void play_match(std::uint32_t tick);
  float number(float low, float high);

  Population& population_;
  muster::World& world_;
  muster::Random random_;
  bool stands_still_ = false;
  std::vector<Walker> walkers_;
  std::vector<Shot> shots_;
  std::vector<muster::EntityId> crates_;
  std::vector<muster::EntityId> barrels_;

  muster::ComponentHandle<Transform> transform_;
  muster::ComponentHandle<CharacterMovement> movement_;
  muster::ComponentHandle<AbilityState> ability_;
  muster::ComponentHandle<PlayerState> state_;
  muster::ComponentHandle<Health> health_;
  muster::ComponentHandle<Explosive> explosive_;
  muster::ComponentHandle<Projectile> projectile_;
  muster::ComponentHandle<Door> door_;
  muster::ComponentHandle<Platform> platform_;
  muster::ComponentHandle<CapturePoint> point_;
  muster::ComponentHandle<Pickup> pickup_;
  muster::ComponentHandle<GameMode> mode_;
};

}  // namespace arena
