// A random history of a world, in which ticks are sometimes undone.
#pragma once

#include <cstdint>
#include <random>

#include "runtime/world/snapshot_ring.h"
#include "tests/support/world_samples.h"

namespace muster::samples {

/// Makes random changes in each tick, and sometimes undoes the last few ticks. Equal seeds give
/// equal histories.
struct RandomHistory {
  explicit RandomHistory(std::uint32_t seed) : random(seed) {}

  void step() {
    for (auto changes = random() % 6; changes > 0; --changes) sample.disturb(random);
    past.capture(Tick(++tick));
    if (random() % 3 != 0) return;
    const std::uint32_t back = tick - static_cast<std::uint32_t>(random() % 5);
    if (past.restore(Tick(back))) tick = back;
  }
  bool one_in(std::uint32_t count) { return random() % count == 0; }

  std::mt19937 random;
  SampleWorld sample;
  World& world = sample.world;
  SnapshotRing past{world, 6};
  std::uint32_t tick = 0;
};

}  // namespace muster::samples
