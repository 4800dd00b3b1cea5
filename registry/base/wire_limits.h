// The limits of replicated content. The network code enforces the limits, and `muster validate`
// reports content that exceeds them.
#pragma once

#include <cstddef>

namespace muster {

/// The maximum number of values of one replicated type. A number is one value on the wire, or two
/// values if its range exceeds 32 bits. A vector has one value per axis, a rotation has four
/// values, and a text has one value per byte. An array has the values of all its elements.
inline constexpr std::size_t kTypeValuesMax = 1024;
/// The maximum number of values of all types together. Each value uses about 2.6 KB of memory, and
/// twice as much if owners receive different fields. Without this limit a short schema could
/// allocate gigabytes.
inline constexpr std::size_t kSchemaValuesMax = 6'000;
/// The maximum number of replicated types of a game.
inline constexpr std::size_t kReplicatedTypesMax = 2048;
/// The maximum number of different components of replicated entities. A component of the root and
/// the same component of a child count as two.
inline constexpr std::size_t kReplicatedComponentsMax = 1024;
/// The maximum number of fields of a component.
inline constexpr std::size_t kComponentFieldsMax = 256;
/// The maximum number of entities of one prefab whose components are replicated. Counts the root
/// and the entities below it, in depth-first order. The components of all further entities are not
/// replicated.
inline constexpr std::size_t kReplicatedMembersMax = 255;
/// The maximum size of an event in bytes, including its index of two bytes. An event is a message
/// that belongs to a tick.
inline constexpr std::size_t kEventBytesMax = 256;
/// The size of a message that always fits into an `emit` of a system, with its index of two bytes.
/// The event also contains the message's cause and the command that caused it (13 bytes).
inline constexpr std::size_t kEmittedBytesMax = 243;

}  // namespace muster
