// The update classes that a game's spawn options need.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "net/replication/replicated_world.h"
#include "runtime/session/game.h"

namespace muster {

/// Gives each pair of radius and priority an update class. There are at most 256 classes. When all
/// are used, a new pair gets the existing class with the smallest radius that is not below its own.
class EntityClasses {
 public:
  /// The class of these options. If it is new, `added` is set to it, for the replication server.
  std::uint8_t find(const SpawnOptions& options, std::optional<UpdateClass>& added);
  /// The first class, which the replication server has from the start.
  static UpdateClass first() { return {.weight = 1}; }

 private:
  struct Pair {
    float visible_within = 0;
    float priority = 1;
  };
  std::vector<Pair> pairs_{Pair{}};
};

}  // namespace muster
