// Where two worlds differ, for finding out why two machines disagree.
#pragma once

#include <optional>
#include <string>

#include "runtime/world/world.h"

namespace muster {

struct WorldDifference {
  EntityId entity;   ///< Null where it is about no single one.
  std::string text;  ///< `entity 7 'Hero': Health.current: differs by 3 hp (tolerance 0)`
  /// All that differs, in the whole worlds, are values within their tolerances.
  bool is_tolerable = false;
};

/// Compares two worlds in all that their checksums count, what says most first: who exists; entity
/// by entity in the order of slots, of whom and under whom, in which state, with which components
/// and values; the order of children and of despawns; the order of components in their arrays; the
/// ids to be given next; last, values that differ within their tolerance. Nothing exactly when the
/// checksums agree. Not for every tick. Requires: worlds of equal component types.
std::optional<WorldDifference> first_difference(const World& left, const World& right);

}  // namespace muster
