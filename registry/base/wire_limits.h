// Limits of what a game replicates. The network code enforces them; `muster validate` finds content
// that exceeds them.
#pragma once

#include <cstddef>

namespace muster {

/// The maximum number of values of one replicated type. A field of an integer or float is one value
/// on the wire, two if its range exceeds 32 bits; a vector has one for each axis, a text one for
/// each byte.
inline constexpr std::size_t kTypeValuesMax = 1024;
/// The maximum number of values of all types together. Each uses about 2.6 KB of a model, twice if
/// owners see another view: without this limit a short schema could allocate gigabytes.
inline constexpr std::size_t kSchemaValuesMax = 6'000;
/// The maximum number of replicated types of a game.
inline constexpr std::size_t kReplicatedTypesMax = 2048;
/// The maximum number of different components of replicated entities.
inline constexpr std::size_t kReplicatedComponentsMax = 1024;
/// The maximum number of fields of a component.
inline constexpr std::size_t kComponentFieldsMax = 256;
/// The maximum number of entities of a replicated prefab: its root and all below.
inline constexpr std::size_t kReplicatedMembersMax = 255;

}  // namespace muster
