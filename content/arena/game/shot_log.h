// What players shot at, as one end saw it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "content/arena/game/combat.h"

namespace arena {

/// The shots of one player, each as it was seen first: the ends' verdicts are compared afterwards.
class ShotLog {
 public:
  struct Shot {
    std::uint32_t tick = 0;
    std::int32_t target = -1;  ///< Network id; -1 for a miss.
  };

  /// After each frame. A corrected shot is no new one.
  void note(const Gun& gun) {
    const bool is_new =
        gun.shot_tick != 0 && (shots_.empty() || gun.shot_tick > shots_.back().tick);
    if (is_new) shots_.push_back({gun.shot_tick, gun.target.network_id});
  }
  const std::vector<Shot>& shots() const { return shots_; }

 private:
  std::vector<Shot> shots_;
};

}  // namespace arena
