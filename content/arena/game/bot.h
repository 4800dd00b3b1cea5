// A simulated player, for tests and demonstrations.
#pragma once

#include <muster/client.h>
#include <muster/seed.h>

#include <cstdint>

#include "content/arena/game/rules.h"

namespace arena {

/// A simulated player that walks, jumps, aims at nearby entities, and shoots. Equal seeds and
/// worlds give equal commands.
class Bot {
 public:
  explicit Bot(std::uint64_t seed) : random_(seed) {}

  /// Sets the client's command for one frame.
  void play(muster::GameClient& client, muster::Time now);
  /// Makes all later commands empty: no movement and no shots.
  void stop() { is_stopped_ = true; }

 private:
  muster::Vec3 aim_at_nearest(const muster::GameClient& client, muster::Vec3 from) const;

  muster::Random random_;
  muster::Time next_turn_{};
  muster::Time next_shot_{};
  Steer steer_;
  bool is_stopped_ = false;
};

}  // namespace arena
