// The codec's description of a component: integers with ranges, and their receivers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registry/base/player_id.h"

namespace muster {

/// The meaning of a number, as the component's description declares it.
enum class LaneKind : std::uint8_t {
  /// A value that moves through its range, so that the next value can be extrapolated.
  number = 0,
  angle = 1,  ///< A number that wraps at `period`.
  /// A value that is unrelated to its neighbours in the range, such as flags, an enumeration or a
  /// reference.
  symbol = 2,
  tick = 3,  ///< The tick of the last event.
  /// The index of the component (x, y, z or w) of a rotation that is the largest and is not sent.
  dropped = 4,
  /// One of the other three components of a rotation. These three lanes directly follow the
  /// `dropped` lane.
  rotation = 5,
  opaque = 6,  ///< Bits without order, such as hashes and text.
};

/// The values of one field: `value_count` integers of one range. A field with three coordinates has
/// three values.
struct FieldSchema {
  std::string name;
  std::uint32_t value_count = 1;
  std::int64_t low = 0;   ///< The minimum value.
  std::int64_t high = 0;  ///< The maximum value.
  Receivers receivers = Receivers::everyone;
  /// Never `dropped`. Each rotation of a `rotation` field has four values. The first of them, from
  /// 0 to 3, becomes a lane of the kind `dropped`.
  LaneKind kind = LaneKind::number;
  /// The number of values after which an angle wraps; 0 for other kinds.
  std::uint64_t period = 0;
  /// The codec does not use the last three members. Two versions of a game use them to convert
  /// values: the field's type, the number that `low` stands for, and the step between two values.
  std::uint8_t type = 0;
  double minimum = 0;
  double resolution = 0;  ///< 0 if the values are exact.
  friend bool operator==(const FieldSchema&, const FieldSchema&) = default;
};

/// The wire description of one component. The struct is plain data that is made from a component's
/// description.
struct ComponentSchema {
  std::string name;
  std::vector<FieldSchema> fields;
  friend bool operator==(const ComponentSchema&, const ComponentSchema&) = default;

  std::uint32_t value_count() const {
    std::uint32_t count = 0;
    for (const FieldSchema& field : fields) count += field.value_count;
    return count;
  }
};

}  // namespace muster
