// What a snapshot codec knows of a component: integers with ranges, and who is sent them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster {

/// Who is sent a value.
enum class SchemaReceivers : std::uint8_t { everyone = 0, owner = 1, all_but_owner = 2 };

/// The values of one field: `value_count` integers of one range. A field of three numbers has
/// three.
struct FieldSchema {
  std::string name;
  std::uint32_t value_count = 1;
  std::int64_t low = 0;   ///< The least value, and ...
  std::int64_t high = 0;  ///< ... the greatest; both can occur.
  SchemaReceivers receivers = SchemaReceivers::everyone;
  /// Values move through their range evenly, so the next one can be extrapolated; false for flags,
  /// references and text, where the number next door means nothing.
  bool is_continuous = false;
  /// The number of values after which the range begins again, for angles; 0 for none.
  std::uint64_t period = 0;
};

/// One component on the wire. Plain data; made from a component's description.
struct ComponentSchema {
  std::string name;
  std::vector<FieldSchema> fields;

  std::uint32_t value_count() const {
    std::uint32_t count = 0;
    for (const FieldSchema& field : fields) count += field.value_count;
    return count;
  }
};

}  // namespace muster
