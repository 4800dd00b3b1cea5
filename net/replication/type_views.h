// Entity types as one receiver sees them: an entity's owner receives other fields than all other
// clients. An entity that is too large for a datagram is sent in several slices.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "net/replication/replication_schema.h"
#include "net/replication/schema_type.h"
#include "net/snapshot/codec_type.h"
#include "net/snapshot/lane.h"
#include "net/snapshot/slice_id.h"
#include "net/snapshot/snapshot_model.h"
#include "registry/base/network_id.h"

namespace muster {

/// The receiver of an entity.
enum class SeenBy : std::uint8_t { others = 0, owner = 1 };
inline constexpr std::size_t kSeenByCount = 2;

/// A type as its owner or the others see it; for a large type, one slice of that.
struct TypeView {
  /// How an integer becomes a lane: minus the minimum of its field. A range of more than 32 bits
  /// becomes two lanes.
  struct Part {
    enum class Half : std::uint8_t { whole, high, low };
    std::uint32_t value = 0;  ///< Index among the entity's values.
    std::int64_t low = 0;
    std::uint64_t maximum = 0;  ///< Maximum above `low`; for both halves together.
    std::uint64_t period = 0;   ///< The period of an angle.
    Half half = Half::whole;
  };

  SchemaType type{};
  SeenBy seen_by = SeenBy::others;
  std::uint32_t slice = 0;
  std::uint32_t first_lane = 0;  ///< The number of lanes in earlier slices.
  std::vector<Part> parts;       ///< One for each lane.

  /// Converts an entity's values to lanes. A value outside its field's range is brought into it: an
  /// angle by whole turns if that is enough, any other value to the nearest end. Returns true if
  /// there was such a value. Requires: as many lanes as parts.
  bool to_lanes(std::span<const std::int64_t> values, std::span<LaneValue> lanes) const;
  /// Converts lanes to values; values that this view does not contain stay unchanged. Lanes come
  /// from the network, but a reader accepts only lanes within their fields' ranges.
  void from_lanes(std::span<const LaneValue> lanes, std::span<std::int64_t> values) const;
};

/// The maximum bits of a slice, weighed as in REPLICATION_FORMAT.md, "Slices". With built-in priors
/// a payload has room for this on every path.
inline constexpr std::size_t kSliceBits = 8'800;
/// For files, which have no such limit.
inline constexpr std::size_t kNoSlices = std::numeric_limits<std::size_t>::max();

/// The codec's types of a schema: one for each type, or two if its owner sees other fields; and one
/// for each slice of a large type. The codec treats the slices of an entity as entities with
/// consecutive ids. Immutable; may be shared by threads.
class TypeViews {
 public:
  /// Requires: a schema without fault.
  explicit TypeViews(const ReplicationSchema& schema, std::size_t slice_bits = kSliceBits);

  const TypeView& view(CodecType codec_type) const { return views_[codec_index(codec_type)]; }
  std::size_t count() const { return views_.size(); }
  /// The codec type of the first slice of `type`. Those of the other slices follow.
  CodecType codec_type(SchemaType type, SeenBy seen_by) const {
    return codec_types_[schema_index(type)][static_cast<std::size_t>(seen_by)];
  }
  /// The codec type of slice `slice` of an entity whose first slice is of type `first`.
  static CodecType slice_type(CodecType first, std::uint32_t slice) {
    return static_cast<CodecType>(static_cast<std::uint32_t>(first) + slice);
  }
  /// The number of slices of an entity whose first one is `codec_type`; nearly always 1.
  std::size_t slice_count(CodecType codec_type) const {
    return slice_counts_[codec_index(codec_type)];
  }
  /// True when a codec type is one of several slices.
  bool is_cut(CodecType codec_type) const {
    return view(codec_type).slice > 0 || slice_count(codec_type) > 1;
  }
  /// The number of lanes of all slices of an entity whose first one is `codec_type`.
  std::size_t lane_count(CodecType codec_type) const;
  /// Converts the values of an entity to the lanes of all its slices, and back, like a view's
  /// `to_lanes` and `from_lanes`. `codec_type` is that of the first slice.
  bool to_row(CodecType codec_type, std::span<const std::int64_t> values,
              std::span<LaneValue> row) const;
  void from_row(CodecType codec_type, const LaneValue* row, std::span<std::int64_t> values) const;
  /// The ids of an entity's slices in snapshots: `slice_id(id, 0)` and so on; the id itself in a
  /// schema without slices. Requires: an entity's id below `id_end`.
  SliceId slice_id(NetworkId entity, std::uint32_t slice) const {
    return SliceId{wire_id(entity) << slice_id_bits_ | slice};
  }
  /// The number of snapshot ids that are reserved for each entity. Most entities do not use all of
  /// them. 1 without slices.
  std::uint32_t slice_ids() const { return 1U << slice_id_bits_; }
  NetworkId entity_of(SliceId slice) const { return NetworkId{codec_id(slice) >> slice_id_bits_}; }
  /// The upper limit of entity ids: 2^32 - 1 in a schema without slices.
  NetworkId id_end() const { return NetworkId{0xFFFF'FFFF >> slice_id_bits_}; }
  /// The codec's schema of each; equal at both ends.
  const std::vector<EntitySchema>& schemas() const { return schemas_; }
  /// The name of a lane: `Component.field`, with `[i]` if the field has several values; empty if
  /// the lane does not exist.
  std::string lane_name(CodecType codec_type, std::size_t lane) const;
  /// The codec's model. Returns `trained` itself if it was trained on exactly these types.
  /// Otherwise uses its data for types with the same name and lanes, and the built-in priors for
  /// all others; `mix` then has no corrections, and `huffman` its built-in codes.
  SnapshotModel model(const SnapshotModel& trained) const;
  /// The same from a valid model file; empty: the built-in priors. Requires: a file that decodes.
  SnapshotModel model_of_file(std::span<const std::byte> file) const;

 private:
  void add_views(const ReplicationSchema& schema, SchemaType type, SeenBy seen_by,
                 std::size_t slice_bits);

  std::vector<TypeView> views_;
  std::vector<EntitySchema> schemas_;
  std::vector<std::vector<LaneValue>> initial_values_;  ///< For each view; empty: none.
  std::vector<std::uint8_t> slice_counts_;              ///< For each view that is a first slice.
  std::vector<std::array<CodecType, kSeenByCount>> codec_types_;
  std::uint32_t slice_id_bits_ = 0;
};

}  // namespace muster
