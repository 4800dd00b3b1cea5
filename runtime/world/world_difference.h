// Compares two worlds, to find out why two machines disagree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/world/world.h"

namespace muster {

struct WorldDifference {
  EntityId entity;   ///< Null if the difference is not about a single entity.
  std::string text;  ///< `entity 7 'Hero': Health.current: differs by 3 hp (tolerance 0)`
  /// A value within its tolerance. These come last, so if the first difference is tolerable, all
  /// are.
  bool is_tolerable = false;
};

/// Compares two worlds in everything that their checksums cover, most important first: which
/// entities exist; per entity in the order of slots, its player, parent, state, components and
/// values; the order of children and of despawns; the order of components in their arrays; the next
/// ids; last, values that differ within their tolerance. Returns nothing exactly when the checksums
/// agree. Not for every tick. Requires: worlds of equal component types.
std::optional<WorldDifference> first_difference(const World& left, const World& right);

/// Appends the first `count_max` differences to `out`, in that order, for a desync report. Each
/// field that differs is one (for an array, its first such element). A different order or next id
/// is listed only if it does not follow from a listed difference of the entities, components,
/// parents or despawns. Only the first slot that differs is listed. Not for every tick.
///
///     std::vector<WorldDifference> list;
///     differences(mine, theirs, 20, list);
void differences(const World& left, const World& right, std::size_t count_max,
                 std::vector<WorldDifference>& out);

}  // namespace muster
