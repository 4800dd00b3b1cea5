// The update classes that a game's spawn options need.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "net/replication/replicated_world.h"
#include "runtime/session/game.h"

namespace muster {

/// Gives each pair of radius and priority an update class. There are 256: when they are used up, a
/// new pair gets the class with the next larger radius.
class EntityClasses {
 public:
  /// The class of some options; `added` becomes a class that is new, for the replication server.
  std::uint8_t find(const SpawnOptions& options, std::optional<UpdateClass>& added);
  /// The class that the replication server begins with.
  static UpdateClass first() { return {.weight = 1}; }

 private:
  struct Pair {
    float visible_within = 0;
    float priority = 1;
  };
  std::vector<Pair> pairs_{Pair{}};
};

}  // namespace muster
