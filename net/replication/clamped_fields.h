// Counts values that a game wrote outside the ranges of its fields.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/replication/replication_schema.h"
#include "net/replication/schema_type.h"
#include "registry/base/network_id.h"

namespace muster {

/// A field of a type for which a game wrote values outside the field's range. `TypeView::to_lanes`
/// moved each of these values into the range.
struct ClampedField {
  SchemaType type{};
  std::string name;              ///< `Component.field`.
  NetworkId first_id{};          ///< The first entity that had such a value.
  std::int64_t first_value = 0;  ///< The value of the first entity.
  std::int64_t low = 0;          ///< The minimum of the field's range.
  std::int64_t high = 0;
  std::uint64_t count = 0;  ///< The number of such values since the world began.
};

/// Counts values outside their ranges, by type and field. There is at most one entry per type and
/// field. Not thread-safe.
class ClampedFields {
 public:
  /// `schema` must outlive this object.
  explicit ClampedFields(const ReplicationSchema& schema) : schema_(schema) {}

  /// Counts the values of an entity that are outside their ranges. Requires: `values` has all
  /// values of the type.
  void add(NetworkId id, SchemaType type, std::span<const std::int64_t> values);

  /// The fields, in the order in which `add` first found them. The order does not change.
  std::span<const ClampedField> fields() const { return fields_; }
  /// The total number of such values, of all fields.
  std::uint64_t count() const { return count_; }

 private:
  ClampedField& field(SchemaType type, const ComponentSchema& component, const FieldSchema& field,
                      std::uint32_t first_value);

  const ReplicationSchema& schema_;
  std::vector<ClampedField> fields_;
  /// The index in `fields_`. The key combines the type and the index of the field's first value.
  std::unordered_map<std::uint64_t, std::size_t> indices_;
  std::uint64_t count_ = 0;
};

}  // namespace muster
