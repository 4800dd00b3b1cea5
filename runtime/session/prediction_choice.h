// The entities whose prediction a game has switched on or off.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "runtime/world/entity_id.h"

namespace muster {

/// The entities whose prediction a game has switched on or off. By default, a client predicts only
/// the entities that its player owns. Only one thread at a time may use this object.
class PredictionChoice {
 public:
  void set(EntityId entity, bool is_predicted) {
    const auto at = std::ranges::lower_bound(entries_, entity, {}, &Entry::entity);
    if (at != entries_.end() && at->entity == entity) {
      at->is_predicted = is_predicted;
    } else {
      entries_.insert(at, {entity, is_predicted});
    }
  }
  /// Call this function when the entity no longer exists.
  void forget(EntityId entity) {
    std::erase_if(entries_, [entity](const Entry& entry) { return entry.entity == entity; });
  }
  /// Returns whether the game wants the entity predicted, or nothing if the game has not called
  /// `set`.
  std::optional<bool> find(EntityId entity) const {
    const auto at = std::ranges::lower_bound(entries_, entity, {}, &Entry::entity);
    if (at == entries_.end() || at->entity != entity) return std::nullopt;
    return at->is_predicted;
  }

 private:
  struct Entry {
    EntityId entity;
    bool is_predicted = false;
  };
  std::vector<Entry> entries_;  ///< Sorted by entity.
};

}  // namespace muster
