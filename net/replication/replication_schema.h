// The description of a game's replicated data: its components and entity types. Both ends exchange
// it before the first snapshot. See REPLICATION_FORMAT.md, "Schema".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/replication/schema_type.h"
#include "net/snapshot/lane.h"
#include "net/snapshot/schema.h"
#include "registry/base/type_id.h"
#include "registry/base/wire_limits.h"

namespace muster {

/// An entity type: the list of its components.
struct ReplicatedType {
  TypeId id{};  ///< The type's id in the game. It is unique.
  /// An entity's values are in this order. A component may occur more than once, because an
  /// entity's children also have components.
  std::vector<SchemaComponent> components;
  /// The initial values of a new entity, for example from its prefab. If empty, each value begins
  /// at its minimum.
  std::vector<std::int64_t> initial_values{};
  friend bool operator==(const ReplicatedType&, const ReplicatedType&) = default;
};

/// Everything that a server replicates. Plain data.
struct ReplicationSchema {
  std::vector<ComponentSchema> components;
  std::vector<ReplicatedType> types;
  friend bool operator==(const ReplicationSchema&, const ReplicationSchema&) = default;

  /// Requires: `type` is a type of this schema.
  const ReplicatedType& type(SchemaType type) const { return types[schema_index(type)]; }
  /// Requires: `component` is a component of this schema.
  const ComponentSchema& component(SchemaComponent component) const {
    return components[schema_index(component)];
  }
  /// The number of integers of an entity of a type, for all receivers.
  std::size_t value_count(SchemaType type) const;
  /// Returns the type with this id in the game, or nothing.
  std::optional<SchemaType> find_type(TypeId id) const;
};

inline constexpr std::size_t kSchemaNameBytesMax = 255;
/// The maximum size of an encoded schema.
inline constexpr std::size_t kSchemaBytesMax = 1U << 20U;

/// Moves a value into a field's range. An angle is moved by whole turns if this brings it into the
/// range. `kNotFinite` becomes the value that is nearest to zero. Any other value is moved to the
/// nearest end of the range. `index` is the value's index in the field. The index matters for
/// rotations: the first of their four values is at most 3.
std::int64_t bring_into_range(const FieldSchema& field, std::size_t index, std::int64_t value);
/// Does the same as `bring_into_range`, for the range from `low` to `low + maximum`. Returns the
/// result minus `low`. Requires: `value` is outside the range, and `zero` is `zero_of` the field.
std::uint64_t lift_into_range(std::int64_t value, std::int64_t low, std::uint64_t maximum,
                              std::uint64_t period, std::uint64_t zero);
/// Whether two integers are equal, or differ by whole turns of an angle.
bool is_same_angle(const FieldSchema& field, std::int64_t one, std::int64_t other);
/// The integer of the value that is nearest to zero, minus `field.low`.
std::uint64_t zero_of(const FieldSchema& field);

/// Describes the first fault of a schema. Returns null if the schema is valid.
const char* find_fault(const ReplicationSchema& schema);

/// Encodes a schema; equal schemas give equal bytes. Requires: `find_fault` returns null.
std::vector<std::byte> encode_schema(const ReplicationSchema& schema);
/// Decodes a schema from untrusted bytes. Returns nothing if the bytes are invalid. The result has
/// no fault, and uses little more memory than the bytes.
std::optional<ReplicationSchema> decode_schema(std::span<const std::byte> bytes);

/// Identifies a schema.
using SchemaHash = std::array<std::byte, 16>;
/// BLAKE2b of the encoded schema.
SchemaHash hash_schema(std::span<const std::byte> encoded);

}  // namespace muster
