// The components of robots and coins, and a player's command.
#pragma once

#include <muster/game.h>

struct Robot {
  float metres_per_second = 4;
  std::int32_t coins = 0;
};
struct Coin {
  std::int32_t value = 1;
};
/// The position of the player's stick, each axis from -1 to 1. 1 is a multiple of the resolution,
/// so that 0 is encoded exactly.
struct Move {
  float x = 0;
  float z = 0;
};

consteval auto describe(muster::Type<Robot>) {
  return muster::Describe<Robot>("Robot")
      .field<&Robot::metres_per_second>("metresPerSecond", {.unit = "m/s"})
      .field<&Robot::coins>("coins");
}
consteval auto describe(muster::Type<Coin>) {
  return muster::Describe<Coin>("Coin").field<&Coin::value>("value");
}
consteval auto describe(muster::Type<Move>) {
  return muster::Describe<Move>("Move")
      .field<&Move::x>("x", {.minimum = -1, .maximum = 1, .resolution = 1.0 / 127})
      .field<&Move::z>("z", {.minimum = -1, .maximum = 1, .resolution = 1.0 / 127});
}
