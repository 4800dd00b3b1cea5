// The numbers of the types and components of a replication schema.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster {

/// A type of a `ReplicationSchema`, as its index in `types`. Equal at both ends of a connection.
/// The codec uses other numbers, because it has one type for each view of a type
/// (`TypeViews::codec_type`).
enum class SchemaType : std::uint16_t {};

constexpr std::size_t schema_index(SchemaType type) { return static_cast<std::size_t>(type); }

/// A component of a `ReplicationSchema`, as its index in `components`. Equal at both ends of a
/// connection.
enum class SchemaComponent : std::uint16_t {};

constexpr std::size_t schema_index(SchemaComponent component) {
  return static_cast<std::size_t>(component);
}

}  // namespace muster
