// The integers of a replicated entity, one by one, as the codec sees them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "net/snapshot/schema.h"

namespace muster {

/// One integer of an entity. Its values run from 0 to `greatest`: a field's low end is taken off.
struct LaneSchema {
  std::string name;
  LaneKind kind = LaneKind::number;
  std::uint32_t greatest = 0;
  /// For angles: how many steps make a whole turn, else 0. May be `greatest`: then 0 and `greatest`
  /// are two spellings of one direction, and both are kept apart.
  std::uint32_t period = 0;
  /// One of several numbers of one field: coded after the lone ones, which it often follows from.
  bool is_of_vector = false;
  SchemaReceivers receivers = SchemaReceivers::everyone;
  friend bool operator==(const LaneSchema&, const LaneSchema&) = default;
};

/// All lanes of one type of entities.
struct EntitySchema {
  std::string name;
  std::vector<LaneSchema> lanes;
  friend bool operator==(const EntitySchema&, const EntitySchema&) = default;
};

/// A lane's value: the wire value minus the field's low end.
using LaneValue = std::uint32_t;

/// The most lanes of one entity. A description with more is a mistake, and every buffer of the
/// codec is bounded by it.
inline constexpr std::size_t kMaxLanes = 1024;

}  // namespace muster
