// What a match is played for: its rules, points to hold, things to pick up, places to start from.
#pragma once

#include "registry/vocabulary/component.h"

namespace arena {

/// The rules and the state of the round.
struct GameMode {
  float round_seconds = 300;
  std::int32_t score_limit = 50;
  std::uint8_t phase = 0;  ///< 0 warm-up, 1 running, 2 over.
  std::uint32_t phase_tick = 0;
  std::array<std::int32_t, 2> team_scores{};
};

struct CapturePoint {
  float radius = 5;
  float capture_seconds = 8;
  float progress = 0;  ///< -1 is held by team 0, 1 by team 1.
  std::int32_t owning_team = -1;
};

/// Gives something to whoever walks over it.
struct Pickup {
  muster::AssetReference item;  ///< An item definition; unset for health.
  std::int32_t amount = 1;
  float respawn_seconds = 10;
  std::uint32_t taken_tick = 0;  ///< 0 while it lies there.
};

struct SpawnPoint {
  std::int32_t team_id = -1;
  float radius = 1;
};

inline muster::ComponentDescription describe_game_mode() {
  using enum muster::RollbackClass;
  return muster::Describe<GameMode>("GameMode")
      .field("roundSeconds", &GameMode::round_seconds, {.unit = "s"})
      .field("scoreLimit", &GameMode::score_limit, {.unit = "points"})
      .field("phase", &GameMode::phase, {.rollback = confirmed_only})
      .field("phaseTick", &GameMode::phase_tick, {.unit = "tick", .rollback = confirmed_only})
      .field("teamScores", &GameMode::team_scores, {.unit = "points", .rollback = confirmed_only})
      .done();
}

inline muster::ComponentDescription describe_capture_point() {
  return muster::Describe<CapturePoint>("CapturePoint")
      .field("radius", &CapturePoint::radius, {.unit = "m"})
      .field("captureSeconds", &CapturePoint::capture_seconds, {.unit = "s"})
      .field("progress", &CapturePoint::progress,
             {.minimum = -1,
              .maximum = 1,
              .resolution = 0.005,
              .tolerance = 0.02,
              .interpolation = muster::Interpolation::linear})
      .field("owningTeam", &CapturePoint::owning_team,
             {.minimum = -1,
              .maximum = 7,
              .resolution = 1,
              .rollback = muster::RollbackClass::confirmed_only})
      .done();
}

inline muster::ComponentDescription describe_pickup() {
  using enum muster::RollbackClass;
  return muster::Describe<Pickup>("Pickup")
      .field("item", &Pickup::item)
      .field("amount", &Pickup::amount, {.minimum = 0, .maximum = 1023, .resolution = 1})
      .field("respawnSeconds", &Pickup::respawn_seconds, {.unit = "s"})
      .field("takenTick", &Pickup::taken_tick, {.unit = "tick", .rollback = confirmed_only})
      .done();
}

inline muster::ComponentDescription describe_spawn_point() {
  return muster::Describe<SpawnPoint>("SpawnPoint")
      .field("teamId", &SpawnPoint::team_id, {.minimum = -1, .maximum = 7, .resolution = 1})
      .field("radius", &SpawnPoint::radius, {.unit = "m"})
      .done();
}

}  // namespace arena
