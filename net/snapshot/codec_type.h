// The numbers of the types that snapshots contain.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster {

/// A type of a snapshot's entity, as its index in `SnapshotModel::types`. A `ReplicationSchema` has
/// one codec type for each view of a type (`TypeViews::codec_type`).
enum class CodecType : std::uint16_t {};

constexpr std::size_t codec_index(CodecType type) { return static_cast<std::size_t>(type); }

}  // namespace muster
