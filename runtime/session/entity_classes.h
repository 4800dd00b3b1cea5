// The update classes that a game's spawn options need.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "net/replication/replicated_world.h"
#include "runtime/session/game.h"

namespace muster {

/// Assigns an update class to each pair of radius and priority. There are at most 256 classes. When
/// all classes are used, a new pair gets the existing class with the smallest radius that is not
/// below the pair's radius.
class EntityClasses {
 public:
  /// Returns the class of these options. If the class is new, `added` is set to the class, and the
  /// caller must add `added` to the replication server.
  std::uint8_t find(const SpawnOptions& options, std::optional<UpdateClass>& added);
  /// The first class. This class always exists in the replication server.
  static UpdateClass first() { return {.weight = 1}; }

 private:
  struct Pair {
    float visible_within = 0;
    float priority = 1;
  };
  std::vector<Pair> pairs_{Pair{}};
};

}  // namespace muster
