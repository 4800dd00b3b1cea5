// The rules of a match, as systems. Commands of players make their characters walk, jump and shoot.
// Other entities move, open, are destroyed and are spawned again.
#pragma once

#include <muster/game.h>

#include "content/arena/game/combat.h"
#include "content/arena/game/match.h"
#include "content/arena/game/movement.h"
#include "content/arena/game/replicated.h"

namespace arena {

/// The input of a player's devices in one tick.
struct Steer {
  muster::Vec3 direction{};   ///< The direction of walking: x and z, each -1 to 1.
  muster::Vec3 aim{0, 0, 1};  ///< The direction of view and shots: x and z, of length 1.
  muster::Button jump{};
  muster::Button fire{};
};

/// An event: a text for all clients, which arrives with its tick.
struct Announcement {
  muster::FixedText<64> text{};
};

consteval auto describe(muster::Type<Steer>) {
  const muster::FieldTraits share = {.minimum = -1, .maximum = 1, .resolution = 1.0 / 127};
  return muster::Describe<Steer>("Steer")
      .field<&Steer::direction>("direction", share)
      .field<&Steer::aim>("aim", share)
      .field<&Steer::jump>("jump")
      .field<&Steer::fire>("fire");
}

consteval auto describe(muster::Type<Announcement>) {
  return muster::Describe<Announcement>("Announcement").field<&Announcement::text>("text");
}

/// The type ids in the registry of replicated entities.
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

inline constexpr std::uint16_t kTicksPerSecond = 60;

/// The game, which is equal for the server and the clients of a match. Nothing moves after the end
/// of the match (`MatchPhase::over`).
muster::Game make_game();

}  // namespace arena
