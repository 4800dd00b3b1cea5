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

/// The next id. Requires: `slice` is not the maximum id.
constexpr SliceId id_after(SliceId slice) { return SliceId{codec_id(slice) + 1}; }

}  // namespace muster
