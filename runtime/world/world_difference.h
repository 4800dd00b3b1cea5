// Where two worlds differ, for finding out why two machines disagree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/world/world.h"

namespace muster {

struct WorldDifference {
  EntityId entity;   ///< Null where it is about no single one.
  std::string text;  ///< `entity 7 'Hero': Health.current: differs by 3 hp (tolerance 0)`
  /// A value within its tolerance. As these come last, the first difference is one only when all
  /// are.
  bool is_tolerable = false;
};

/// Compares two worlds in all that their checksums count, what says most first: who exists; entity
/// by entity in the order of slots, of whom and under whom, in which state, with which components
/// and values; the order of children and of despawns; the order of components in their arrays; the
/// ids to be given next; last, values that differ within their tolerance. Nothing exactly when the
/// checksums agree. Not for every tick. Requires: worlds of equal component types.
std::optional<WorldDifference> first_difference(const World& left, const World& right);

/// Appends the first `count_max` differences to `out`, in that order: for the report of a desync.
/// Each field that differs is one (of an array, its first element that does). Orders, and the ids
/// to be given next, are named only where no entity, component, parent or despawn of one world
/// alone explains them; of the slots, the first. Not for every tick.
///
///     std::vector<WorldDifference> list;
///     differences(mine, theirs, 20, list);
void differences(const World& left, const World& right, std::size_t count_max,
                 std::vector<WorldDifference>& out);

}  // namespace muster
