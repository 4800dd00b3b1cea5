// The game of sync_lab: first-person characters that walk, jump, turn and shoot.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "runtime/session/game.h"
#include "tests/bench/input_player.h"

namespace muster {

/// A character's motion. Its position is in its `Transform`.
struct Character {
  Vec3 velocity{};
  std::int32_t yaw_counts = 0;  ///< Counts of the input device since the spawn.
  std::int32_t pitch_counts = 0;
  float degrees_per_count = 0.05F;
  std::uint8_t cooldown = 0;  ///< The number of ticks until the character can shoot again.
};
consteval auto describe(Type<Character>) {
  return Describe<Character>("Character")
      .field<&Character::velocity>("velocity", {.unit = "m/s",
                                                .minimum = -64,
                                                .maximum = 64,
                                                .resolution = 1.0 / 1024,
                                                .tolerance = 0.01})
      .field<&Character::yaw_counts>("yawCounts")
      .field<&Character::pitch_counts>("pitchCounts")
      .field<&Character::degrees_per_count>("degreesPerCount")
      .field<&Character::cooldown>("cooldown");
}

/// The presses that the server has processed, by button. Clients do not predict this component.
struct Tally {
  std::array<std::uint32_t, kButtons> presses{};
};
consteval auto describe(Type<Tally>) {
  return Describe<Tally>("Tally").field<&Tally::presses>("presses",
                                                         {.receivers = Receivers::owner});
}

/// The first result of a shot.
struct ShotVerdict {
  std::int32_t target = -1;  ///< The network id of the target, or -1.
  Vec3 from{};
  Vec3 direction{};
};

/// The first results of shots, by the shooter's network id and the tick.
struct ShotLog {
  using Verdicts = std::map<std::pair<std::int32_t, std::uint32_t>, ShotVerdict>;
  Verdicts server;
  Verdicts client;
};

/// Shots that the server has processed, by the shooter's network id. Each plays one effect.
using ShotCounts = std::map<std::int32_t, std::uint64_t>;

/// The logs to which the systems write. There is one of each, so a process plays one match at a
/// time.
ShotLog& shot_log();
ShotCounts& shot_counts();
/// 60 ticks and 20 snapshots per second.
Game sync_game();
/// Builds the game's content into a folder of the disk. Throws if that fails.
void build_sync_game(const std::string& folder);

}  // namespace muster
