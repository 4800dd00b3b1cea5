// What makes an entity of the arena a networked one: its identity, place, team and player.
#pragma once

#include "registry/vocabulary/component.h"

namespace arena {

/// Carried by the root of everything that travels. The asset guid is content; the ids are given
/// when the entity is spawned.
struct ReplicatedEntity {
  muster::AssetReference asset_guid;
  std::int32_t id = -1;
  std::int32_t predicting_player_id = -1;  ///< The player who simulates it ahead; -1 for none.
};

/// A place in the world, or relative to the parent.
struct Transform {
  muster::Vec3 position;
  muster::Quaternion rotation;
  muster::Vec3 scale{1, 1, 1};
};

struct Team {
  std::int32_t team_id = -1;  ///< -1 belongs to nobody.
};

/// One per connected player; it lives as long as the connection.
struct PlayerState {
  std::int32_t player_id = -1;
  std::int32_t hero_type = 0;  ///< Type id in the hero registry; 0 is none chosen yet.
  std::int32_t score = 0;
  std::int32_t kills = 0;
  std::int32_t deaths = 0;
  muster::EntityReference controlled_entity;
  muster::FixedText<64> player_name;
};

/// What an ability remembers between ticks.
struct AbilityState {
  std::int32_t slot = 0;
  float cooldown_seconds = 0;
  std::uint32_t activated_tick = 0;
};

/// A free camera for those who watch.
struct SpectatorCamera {
  float field_of_view = 60;
};

inline muster::ComponentDescription describe_replicated_entity() {
  using enum muster::RollbackClass;
  return muster::Describe<ReplicatedEntity>("ReplicatedEntity")
      .field("assetGuid", &ReplicatedEntity::asset_guid, {.rollback = confirmed_only})
      .field("id", &ReplicatedEntity::id, {.rollback = confirmed_only})
      .field("predictingPlayerId", &ReplicatedEntity::predicting_player_id,
             {.rollback = confirmed_only})
      .done();
}

inline muster::ComponentDescription describe_transform() {
  // A millimetre is finer than a player sees; 4 km is the largest level we expect.
  using enum muster::Interpolation;
  return muster::Describe<Transform>("Transform")
      .field("position", &Transform::position,
             {.unit = "m",
              .minimum = -2048,
              .maximum = 2048,
              .resolution = 0.001,
              .tolerance = 0.01,
              .interpolation = linear})
      .field("rotation", &Transform::rotation,
             {.minimum = -1,
              .maximum = 1,
              .resolution = 0.0005,
              .tolerance = 0.002,
              .interpolation = shortest_arc})
      .field("scale", &Transform::scale, {.resolution = 0.001, .interpolation = linear})
      .done();
}

inline muster::ComponentDescription describe_team() {
  return muster::Describe<Team>("Team")
      .field("teamId", &Team::team_id,
             {.minimum = -1,
              .maximum = 7,
              .resolution = 1,
              .rollback = muster::RollbackClass::confirmed_only})
      .done();
}

inline muster::ComponentDescription describe_player_state() {
  using enum muster::RollbackClass;
  return muster::Describe<PlayerState>("PlayerState")
      .field("playerId", &PlayerState::player_id, {.rollback = confirmed_only})
      .field("heroType", &PlayerState::hero_type, {.rollback = confirmed_only})
      .field("score", &PlayerState::score, {.unit = "points", .rollback = confirmed_only})
      .field("kills", &PlayerState::kills, {.rollback = confirmed_only})
      .field("deaths", &PlayerState::deaths, {.rollback = confirmed_only})
      .field("controlledEntity", &PlayerState::controlled_entity,
             {.receivers = muster::Receivers::owner})
      .field("playerName", &PlayerState::player_name, {.rollback = confirmed_only})
      .done();
}

inline muster::ComponentDescription describe_ability_state() {
  using enum muster::Receivers;
  return muster::Describe<AbilityState>("AbilityState")
      .field("slot", &AbilityState::slot, {.minimum = 0, .maximum = 7, .resolution = 1})
      .field("cooldownSeconds", &AbilityState::cooldown_seconds,
             {.unit = "s", .resolution = 0.01, .tolerance = 0.05, .receivers = owner})
      .field("activatedTick", &AbilityState::activated_tick, {.unit = "tick"})
      .done();
}

inline muster::ComponentDescription describe_spectator_camera() {
  return muster::Describe<SpectatorCamera>("SpectatorCamera")
      .field("fieldOfView", &SpectatorCamera::field_of_view,
             {.unit = "deg",
              .minimum = 20,
              .maximum = 120,
              .resolution = 0.1,
              .receivers = muster::Receivers::owner,
              .interpolation = muster::Interpolation::linear})
      .done();
}

}  // namespace arena
