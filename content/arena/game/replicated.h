// Components that most replicated entities of the arena use: identity, position, team, player.
#pragma once

#include <muster/describe.h>
#include <muster/game.h>

namespace arena {

/// The root of each replicated prefab has this component. Content sets the asset guid, and the
/// library sets the other fields.
using ReplicatedEntity = muster::Replicated;

/// A position and rotation in the world, or relative to the parent.
struct Transform {
  muster::Vec3 position;
  muster::Quaternion rotation;
  muster::Vec3 scale{1, 1, 1};
};

struct Team {
  std::int32_t team_id = -1;  ///< The team; -1 for no team.
};

/// The state of one connected player. This component exists as long as the player is connected.
struct PlayerState {
  std::int32_t player_id = -1;
  std::int32_t hero_type = 0;  ///< The type id in the hero registry; 0 before a hero is chosen.
  std::int32_t score = 0;
  std::int32_t kills = 0;
  std::int32_t deaths = 0;
  muster::EntityReference controlled_entity;
  muster::FixedText<64> player_name;
};

/// The state of an ability between ticks.
struct AbilityState {
  std::int32_t slot = 0;
  float cooldown_seconds = 0;
  std::uint32_t activated_tick = 0;
};

/// A free camera for spectators.
struct SpectatorCamera {
  float field_of_view = 60;
};

consteval auto describe(muster::Type<Transform>) {
  // A player does not see steps of a millimetre. A level is at most 4 km long and wide.
  using enum muster::Interpolation;
  return muster::Describe<Transform>("Transform")
      .field<&Transform::position>("position", {.unit = "m",
                                                .minimum = -2048,
                                                .maximum = 2048,
                                                .resolution = 0.001,
                                                .tolerance = 0.01,
                                                .interpolation = linear})
      .field<&Transform::rotation>("rotation", {.minimum = -1,
                                                .maximum = 1,
                                                .resolution = 0.0005,
                                                .tolerance = 0.002,
                                                .interpolation = shortest_arc})
      .field<&Transform::scale>("scale", {.resolution = 0.001, .interpolation = linear});
}

consteval auto describe(muster::Type<Team>) {
  return muster::Describe<Team>("Team").field<&Team::team_id>(
      "teamId", {.minimum = -1,
                 .maximum = 7,
                 .resolution = 1,
                 .rollback = muster::RollbackClass::confirmed_only});
}

consteval auto describe(muster::Type<PlayerState>) {
  using enum muster::RollbackClass;
  return muster::Describe<PlayerState>("PlayerState")
      .field<&PlayerState::player_id>("playerId", {.rollback = confirmed_only})
      .field<&PlayerState::hero_type>("heroType", {.rollback = confirmed_only})
      .field<&PlayerState::score>("score", {.unit = "points", .rollback = confirmed_only})
      .field<&PlayerState::kills>("kills", {.rollback = confirmed_only})
      .field<&PlayerState::deaths>("deaths", {.rollback = confirmed_only})
      .field<&PlayerState::controlled_entity>("controlledEntity",
                                              {.receivers = muster::Receivers::owner})
      .field<&PlayerState::player_name>("playerName", {.rollback = confirmed_only});
}

consteval auto describe(muster::Type<AbilityState>) {
  using enum muster::Receivers;
  return muster::Describe<AbilityState>("AbilityState")
      .field<&AbilityState::slot>("slot", {.minimum = 0, .maximum = 7, .resolution = 1})
      .field<&AbilityState::cooldown_seconds>(
          "cooldownSeconds",
          {.unit = "s", .resolution = 0.01, .tolerance = 0.05, .receivers = owner})
      .field<&AbilityState::activated_tick>("activatedTick", {.unit = "tick"});
}

consteval auto describe(muster::Type<SpectatorCamera>) {
  return muster::Describe<SpectatorCamera>("SpectatorCamera")
      .field<&SpectatorCamera::field_of_view>("fieldOfView",
                                              {.unit = "deg",
                                               .minimum = 20,
                                               .maximum = 120,
                                               .resolution = 0.1,
                                               .receivers = muster::Receivers::owner,
                                               .interpolation = muster::Interpolation::linear});
}

}  // namespace arena
