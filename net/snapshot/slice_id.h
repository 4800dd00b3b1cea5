// The ids of entities in snapshots.
#pragma once

#include <cstdint>

namespace muster {

/// A slice of an entity, or the entity itself in a schema without slices. `TypeViews` converts it
/// from and to the entity's id. The codec of snapshots knows only slices, and calls them entities.
enum class SliceId : std::uint32_t {};

/// The codec's id.
constexpr std::uint32_t codec_id(SliceId slice) { return static_cast<std::uint32_t>(slice); }

}  // namespace muster
