// The ids of entities in snapshots.
#pragma once

#include <cstdint>

namespace muster {

/// A slice of an entity, or the entity itself in a schema without slices. `TypeViews` converts
/// between slice ids and entity ids. The codec of snapshots knows only slices, and calls them
/// entities.
enum class SliceId : std::uint32_t {};

/// The id that the codec uses for a slice.
constexpr std::uint32_t codec_id(SliceId slice) { return static_cast<std::uint32_t>(slice); }

}  // namespace muster
