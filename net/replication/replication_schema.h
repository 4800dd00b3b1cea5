// What travels of a game's entities: its components and the types made of them, agreed upon before
// the first snapshot. REPLICATION_FORMAT.md, "Schema".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/snapshot/lane.h"
#include "net/snapshot/schema.h"

namespace muster {

/// A kind of entity: what its values are, component after component.
struct ReplicatedType {
  std::uint32_t id = 0;  ///< As the game calls it; unique.
  /// Indices into `ReplicationSchema::components`, in the order in which their values follow each
  /// other. One may occur more than once: an entity's children have components too.
  std::vector<std::uint16_t> components;
  /// What the values of a new one usually are, say its prefab's; empty for all at their low end.
  std::vector<std::int64_t> usual{};
  friend bool operator==(const ReplicatedType&, const ReplicatedType&) = default;
};

/// All that a server replicates. Plain data.
struct ReplicationSchema {
  std::vector<ComponentSchema> components;
  std::vector<ReplicatedType> types;
  friend bool operator==(const ReplicationSchema&, const ReplicationSchema&) = default;

  /// Integers of an entity of `types[type]`, whoever receives them.
  std::size_t value_count(std::size_t type) const;
  /// The index of the type with this id.
  std::optional<std::uint16_t> find_type(std::uint32_t id) const;
};

inline constexpr std::size_t kReplicatedComponentsMax = 1024;
inline constexpr std::size_t kReplicatedTypesMax = 2048;  ///< Each may need two kinds of the codec.
/// Lanes of all types together. Each takes some 2.6 KB of a model, twice when owners see another
/// view: without a bound a short schema would claim gigabytes.
inline constexpr std::size_t kSchemaLanesMax = 6'000;
inline constexpr std::size_t kComponentFieldsMax = 256;
inline constexpr std::size_t kSchemaNameBytesMax = 255;
/// The most bytes of an encoded schema that are looked at.
inline constexpr std::size_t kSchemaBytesMax = 1U << 20U;

/// Brings a value into a field's range: an angle by whole turns if that is enough, any other value
/// to the nearest end. `index`: of the value in the field, because the first of a rotation's four
/// values is at most 3.
std::int64_t bring_into_range(const FieldSchema& field, std::size_t index, std::int64_t value);
/// The same: how far the result lies above `low`. `greatest`: how far the range reaches above it.
/// Requires: a value outside the range.
std::uint64_t lift_into_range(std::int64_t value, std::int64_t low, std::uint64_t greatest,
                              std::uint64_t period);

/// What is wrong with a schema; null when nothing is.
const char* find_fault(const ReplicationSchema& schema);

/// The bytes of a schema; equal schemas give equal bytes. Requires: `find_fault` is null.
std::vector<std::byte> encode_schema(const ReplicationSchema& schema);
/// Reads a schema from bytes that an enemy may have made; nothing when they are none. What comes
/// back has no fault, and takes little more memory than the bytes.
std::optional<ReplicationSchema> decode_schema(std::span<const std::byte> bytes);

/// What tells schemas apart.
using SchemaHash = std::array<std::byte, 16>;
/// BLAKE2b of the encoded schema.
SchemaHash hash_schema(std::span<const std::byte> encoded);

}  // namespace muster
