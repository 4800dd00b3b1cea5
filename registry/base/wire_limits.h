// Limits of what a game replicates. The network code enforces them; `muster validate` finds content
// that exceeds them.
#pragma once

#include <cstddef>

namespace muster {

/// The maximum number of values of one replicated type. A number is one value on the wire, two if
/// its range exceeds 32 bits. A vector has one value for each axis, a rotation has four, and a text
/// has one for each byte. The values of an array are the values of all its elements.
inline constexpr std::size_t kTypeValuesMax = 1024;
/// The maximum number of values of all types together. Each value uses about 2.6 KB of a model, and
/// twice as much if owners receive other fields. Without this limit a short schema could allocate
/// gigabytes.
inline constexpr std::size_t kSchemaValuesMax = 6'000;
/// The maximum number of replicated types of a game.
inline constexpr std::size_t kReplicatedTypesMax = 2048;
/// The maximum number of different components of replicated entities. A component of the root and
/// the same component of a child count as two.
inline constexpr std::size_t kReplicatedComponentsMax = 1024;
/// The maximum number of fields of a component.
inline constexpr std::size_t kComponentFieldsMax = 256;
/// The maximum number of entities of a replicated prefab whose components are replicated: its root
/// and the entities below it, depth first. The components of further entities are not replicated.
inline constexpr std::size_t kReplicatedMembersMax = 255;
/// The maximum number of bytes of an event: a message that is sent at a tick, with its index of two
/// bytes.
inline constexpr std::size_t kEventBytesMax = 256;

}  // namespace muster
