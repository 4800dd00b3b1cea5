// The integers of a replicated entity, as the codec sees them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "net/snapshot/schema.h"
#include "registry/base/wire_limits.h"

namespace muster {

/// One integer of an entity, from 0 to `maximum`: a value of a field minus the field's minimum.
struct LaneSchema {
  std::string name;
  LaneKind kind = LaneKind::number;
  std::uint32_t maximum = 0;
  /// The number of steps in a whole turn of an angle; 0 for other lanes. If `period` equals
  /// `maximum`, the values 0 and `maximum` are the same direction. A receiver still gets the value
  /// that was sent.
  std::uint32_t period = 0;
  /// True if the lane's field has several numbers. Such lanes are coded after the lanes of single
  /// numbers, because single numbers often help to predict vectors.
  bool is_of_vector = false;
  Receivers receivers = Receivers::everyone;
  friend bool operator==(const LaneSchema&, const LaneSchema&) = default;
};

/// All lanes of one entity type.
struct EntitySchema {
  std::string name;
  std::vector<LaneSchema> lanes;
  friend bool operator==(const EntitySchema&, const EntitySchema&) = default;
};

/// A lane's value: the field's value minus its minimum.
using LaneValue = std::uint32_t;

/// The maximum number of lanes of an entity. This number limits the size of every buffer of the
/// codec.
inline constexpr std::size_t kMaxLanes = kTypeValuesMax;

}  // namespace muster
