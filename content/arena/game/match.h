// The components of a match: its mode, capture points, pickups, and spawn points.
#pragma once

#include <muster/describe.h>

namespace arena {

enum class MatchPhase : std::uint8_t { warm_up, running, over };
inline constexpr std::array<std::string_view, 3> kMatchPhases = {"warm_up", "running", "over"};

/// The limits and the state of the round.
struct GameMode {
  float round_seconds = 300;
  std::int32_t score_limit = 50;
  MatchPhase phase = MatchPhase::warm_up;
  std::uint32_t phase_tick = 0;
  std::array<std::int32_t, 2> team_scores{};
};

struct CapturePoint {
  float radius = 5;
  float capture_seconds = 8;
  /// The progress from -1 (team 0 owns the point) to 1 (team 1 owns the point).
  float progress = 0;
  std::int32_t owning_team = -1;
};

/// Gives an item or health to the character that walks over it.
struct Pickup {
  muster::AssetReference item;  ///< The definition of the item; unset for health.
  std::int32_t amount = 1;
  float respawn_seconds = 10;
  std::uint32_t taken_tick = 0;  ///< The tick of the last pickup; 0 while the pickup is available.
};

struct SpawnPoint {
  std::int32_t team_id = -1;
  float radius = 1;
};

consteval auto describe(muster::Type<GameMode>) {
  using enum muster::RollbackClass;
  return muster::Describe<GameMode>("GameMode")
      .field<&GameMode::round_seconds>("roundSeconds", {.unit = "s"})
      .field<&GameMode::score_limit>("scoreLimit", {.unit = "points"})
      .field<&GameMode::phase>("phase", {.rollback = confirmed_only, .names = kMatchPhases})
      .field<&GameMode::phase_tick>("phaseTick", {.unit = "tick", .rollback = confirmed_only})
      .field<&GameMode::team_scores>("teamScores", {.unit = "points", .rollback = confirmed_only});
}

consteval auto describe(muster::Type<CapturePoint>) {
  return muster::Describe<CapturePoint>("CapturePoint")
      .field<&CapturePoint::radius>("radius", {.unit = "m"})
      .field<&CapturePoint::capture_seconds>("captureSeconds", {.unit = "s"})
      .field<&CapturePoint::progress>("progress", {.minimum = -1,
                                                   .maximum = 1,
                                                   .resolution = 0.005,
                                                   .tolerance = 0.02,
                                                   .interpolation = muster::Interpolation::linear})
      .field<&CapturePoint::owning_team>("owningTeam",
                                         {.minimum = -1,
                                          .maximum = 7,
                                          .resolution = 1,
                                          .rollback = muster::RollbackClass::confirmed_only});
}

consteval auto describe(muster::Type<Pickup>) {
  using enum muster::RollbackClass;
  return muster::Describe<Pickup>("Pickup")
      .field<&Pickup::item>("item")
      .field<&Pickup::amount>("amount", {.minimum = 0, .maximum = 1023, .resolution = 1})
      .field<&Pickup::respawn_seconds>("respawnSeconds", {.unit = "s"})
      .field<&Pickup::taken_tick>("takenTick", {.unit = "tick", .rollback = confirmed_only});
}

consteval auto describe(muster::Type<SpawnPoint>) {
  return muster::Describe<SpawnPoint>("SpawnPoint")
      .field<&SpawnPoint::team_id>("teamId", {.minimum = -1, .maximum = 7, .resolution = 1})
      .field<&SpawnPoint::radius>("radius", {.unit = "m"});
}

}  // namespace arena
