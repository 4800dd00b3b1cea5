// What a snapshot codec knows of a component: integers with ranges, and who is sent them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster {

/// Who is sent a value.
enum class SchemaReceivers : std::uint8_t { everyone = 0, owner = 1, all_but_owner = 2 };

/// What numbers mean to their neighbours, as the component's description declares it.
enum class LaneKind : std::uint8_t {
  number = 0,    ///< Moves through its range: the next value can be extrapolated.
  angle = 1,     ///< A number that begins again after `period`.
  symbol = 2,    ///< The number next door means nothing: flags, enumerations, references.
  tick = 3,      ///< The tick at which something happened last.
  dropped = 4,   ///< Of a rotation: which of x, y, z, w is the greatest and is not sent.
  rotation = 5,  ///< Of a rotation: one of the other three; they follow `dropped` directly.
  opaque = 6,    ///< Bits without any order: hashes, text.
};

/// The values of one field: `value_count` integers of one range. A field of three numbers has
/// three.
struct FieldSchema {
  std::string name;
  std::uint32_t value_count = 1;
  std::int64_t low = 0;   ///< The least value, and ...
  std::int64_t high = 0;  ///< ... the greatest; both can occur.
  SchemaReceivers receivers = SchemaReceivers::everyone;
  /// Never `dropped`: values of a `rotation` come in fours, the first of each from 0 to 3.
  LaneKind kind = LaneKind::number;
  /// The number of values after which the range begins again, for angles; 0 for none.
  std::uint64_t period = 0;
  /// What the two ends make of the values: a type of the game's, the number that the least value
  /// stands for, and the step between two. Two versions of a game convert by these.
  std::uint8_t type = 0;
  double minimum = 0;
  double resolution = 0;  ///< 0 for exact values.
  friend bool operator==(const FieldSchema&, const FieldSchema&) = default;
};

/// One component on the wire. Plain data; made from a component's description.
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
