// Compares two worlds, to find out why the states on two machines differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/world/world.h"

namespace muster {

struct WorldDifference {
  EntityId entity;   ///< The entity; null if the difference is not about a single entity.
  std::string text;  ///< `entity 7 'Hero': Health.current: differs by 3 hp (tolerance 0)`
  /// True if the value differs by at most its tolerance. These differences come last, so if the
  /// first difference is tolerable, all differences are tolerable.
  bool is_tolerable = false;
};

/// Compares all data that the checksums of two worlds cover, and returns the most important
/// difference. Returns no value if and only if the checksums are equal. Do not call this function
/// every tick. Requires: both worlds have equal component types. The kinds of differences, by
/// importance:
///
/// - which entities exist;
/// - for each entity in the order of slots: its player, parent, state, components and values;
/// - the order of children and of despawns;
/// - the order of components in their arrays;
/// - the next ids;
/// - values that differ by at most their tolerance.
std::optional<WorldDifference> first_difference(const World& left, const World& right);

/// Appends the first `count_max` differences to `out`, in the order of `first_difference`, for a
/// desync report. Each field that differs is one difference; for an array, only the first element
/// that differs is listed. A different order or next id is left out if it follows from a listed
/// difference of the entities, components, parents or despawns. If free slots differ, only the
/// first slot that differs is listed. Do not call this function every tick.
///
///     std::vector<WorldDifference> list;
///     differences(mine, theirs, 20, list);
void differences(const World& left, const World& right, std::size_t count_max,
                 std::vector<WorldDifference>& out);

}  // namespace muster
