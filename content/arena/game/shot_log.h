// Records the targets of shots, so that the results of server and client can be compared.
#pragma once

#include <muster/component.h>
#include <muster/tick.h>

#include <string>
#include <vector>

#include "content/arena/game/combat.h"

namespace arena {

/// The shots of one player, each with its first result. A later correction is ignored.
class ShotLog {
 public:
  struct Shot {
    muster::Tick tick{};
    muster::EntityReference target;  ///< The entity that was hit; none for a miss.
  };

  /// Adds the last shot if it is new. Call this function after each frame.
  void note(const Gun& gun) {
    const bool is_new =
        gun.shot_tick != 0 && (shots_.empty() || muster::Tick(gun.shot_tick) > shots_.back().tick);
    if (is_new) shots_.push_back({muster::Tick(gun.shot_tick), gun.target});
  }
  const std::vector<Shot>& shots() const { return shots_; }

 private:
  std::vector<Shot> shots_;
};

}  // namespace arena
