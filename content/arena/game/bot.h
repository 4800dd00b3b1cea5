// A simulated player.
#pragma once

#include <cstdint>

#include "content/arena/game/rules.h"
#include "registry/base/seed.h"
#include "runtime/session/game_client.h"

namespace arena {

/// Walks back and forth, jumps, aims at entities nearby, and shoots. Equal seeds and worlds give
/// equal commands.
class Bot {
 public:
  explicit Bot(std::uint64_t seed) : random_(seed) {}

  /// Sets the client's command of a frame.
  void play(muster::GameClient& client, muster::Time now);
  /// Sends commands without movement and shots from now on.
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
