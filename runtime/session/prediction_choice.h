// The game's exceptions to the rule which entities are predicted.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "runtime/world/entity_id.h"

namespace muster {

/// Entities whose prediction a game has switched on or off. All others follow the rule: a client
/// predicts what its player owns. One thread at a time.
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
  /// The entity does not exist any more.
  void forget(EntityId entity) {
    std::erase_if(entries_, [entity](const Entry& entry) { return entry.entity == entity; });
  }
  /// Nothing for an entity that follows the rule.
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
