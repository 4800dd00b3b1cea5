// Entity types as one receiver sees them: an entity's owner receives other fields than all other
// clients. An entity that is too large for a datagram is sent in several slices.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
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

/// A slice of a view, as its index. A view that is not cut has only `kFirstSlice`.
enum class SliceIndex : std::uint32_t {};
inline constexpr SliceIndex kFirstSlice{0};

constexpr std::uint32_t slice_number(SliceIndex slice) { return static_cast<std::uint32_t>(slice); }

/// The values of a type that a client receives. The owner of an entity can receive other values
/// than the other clients, so a type can have two views. A large type has more views: one for each
/// slice.
struct TypeView {
  /// How an integer becomes a lane: the minimum of the integer's field is subtracted. An integer
  /// with a range of more than 32 bits becomes two lanes.
  struct Part {
    enum class Half : std::uint8_t { whole, high, low };
    std::uint32_t value = 0;  ///< The index of the integer among the entity's values.
    std::int64_t low = 0;
    std::uint64_t maximum = 0;  ///< The maximum minus `low`, for both halves together.
    std::uint64_t period = 0;   ///< The period of an angle.
    std::uint64_t zero = 0;     ///< `zero_of` the field.
    Half half = Half::whole;
  };

  SchemaType type{};
  SeenBy seen_by = SeenBy::others;
  SliceIndex slice = kFirstSlice;
  std::uint32_t first_lane = 0;  ///< The number of lanes in earlier slices.
  std::vector<Part> parts;       ///< One for each lane.

  /// Converts an entity's values to lanes. A value outside its field's range is moved into the
  /// range as in `bring_into_range`. Returns true if there was such a value. Requires: `lanes` has
  /// as many entries as `parts`.
  bool to_lanes(std::span<const std::int64_t> values, std::span<LaneValue> lanes) const;
  /// Converts lanes to values. Values that this view does not contain stay unchanged. Requires:
  /// each lane is within its field's range, which a `SnapshotReader` guarantees.
  void from_lanes(std::span<const LaneValue> lanes, std::span<std::int64_t> values) const;
};

/// The maximum weight of a slice in bits, as defined in REPLICATION_FORMAT.md, "Slices". With
/// built-in priors, a payload has room for such a slice on every path.
inline constexpr std::size_t kSliceBits = 8'800;
/// Slices without a limit, for files.
inline constexpr std::size_t kNoSlices = std::numeric_limits<std::size_t>::max();

/// The codec's types of a schema. Each type of the schema has one view, or two views if owners
/// receive other fields than other clients do. Each view has one codec type, or one for each slice
/// of a large view. The codec treats the slices of an entity as entities with consecutive ids.
/// Immutable; may be shared by threads.
class TypeViews {
 public:
  /// Requires: `schema` has no fault.
  explicit TypeViews(const ReplicationSchema& schema, std::size_t slice_bits = kSliceBits);

  const TypeView& view(CodecType codec_type) const { return views_[codec_index(codec_type)]; }
  std::size_t count() const { return views_.size(); }
  /// The codec type of the first slice of `type`. The codec types of the other slices follow this
  /// codec type.
  CodecType codec_type(SchemaType type, SeenBy seen_by) const {
    return codec_types_[schema_index(type)][static_cast<std::size_t>(seen_by)];
  }
  /// The codec type of slice `slice` of an entity whose first slice has the codec type `first`.
  static CodecType slice_type(CodecType first, SliceIndex slice) {
    const std::size_t type = codec_index(first) + slice_number(slice);
    assert(type <= std::numeric_limits<std::uint16_t>::max());
    return static_cast<CodecType>(type);
  }
  /// The number of slices of an entity whose first slice has the type `codec_type`; nearly always
  /// 1.
  std::size_t slice_count(CodecType codec_type) const {
    return slice_counts_[codec_index(codec_type)];
  }
  /// True when a codec type is one of several slices.
  bool is_cut(CodecType codec_type) const {
    return view(codec_type).slice != kFirstSlice || slice_count(codec_type) > 1;
  }
  /// The number of lanes of all slices of an entity whose first slice has the type `codec_type`.
  std::size_t lane_count(CodecType codec_type) const;
  /// Converts the values of an entity to the lanes of all its slices, and back, like a view's
  /// `to_lanes` and `from_lanes`. `codec_type` is the codec type of the first slice.
  bool to_row(CodecType codec_type, std::span<const std::int64_t> values,
              std::span<LaneValue> row) const;
  void from_row(CodecType codec_type, const LaneValue* row, std::span<std::int64_t> values) const;
  /// The id of an entity's slice in snapshots. In a schema without slices, the slice's id is the
  /// entity's id. Requires: `entity` is below `id_end`.
  SliceId slice_id(NetworkId entity, SliceIndex slice) const {
    return SliceId{wire_id(entity) << slice_id_bits_ | slice_number(slice)};
  }
  /// The number of snapshot ids that are reserved for each entity; 1 in a schema without slices.
  /// Most entities do not use all of these ids.
  std::uint32_t slice_ids() const { return 1U << slice_id_bits_; }
  NetworkId entity_of(SliceId slice) const { return NetworkId{codec_id(slice) >> slice_id_bits_}; }
  /// The limit of entity ids, which is not included: 2^32 - 1 in a schema without slices.
  NetworkId id_end() const { return NetworkId{0xFFFF'FFFF >> slice_id_bits_}; }
  /// The codec's schema of each codec type. The schemas are equal at both ends.
  const std::vector<EntitySchema>& schemas() const { return schemas_; }
  /// The name of a lane: `Component.field`, with `[i]` if the field has several values; empty if
  /// the lane does not exist.
  std::string lane_name(CodecType codec_type, std::size_t lane) const;
  /// The codec's model. Returns `trained` itself if it was trained on exactly these types.
  /// Otherwise adopts the trained data of types and lanes with the same names (`adopt`), and uses
  /// the built-in priors for all others. The coder `mix` then has no corrections.
  SnapshotModel model(const SnapshotModel& trained) const;
  /// Does the same as `model`, but reads the trained model from a file. If `file` is empty, uses
  /// the built-in priors. Requires: `file` decodes or is empty.
  SnapshotModel model_of_file(std::span<const std::byte> file) const;

 private:
  void add_views(const ReplicationSchema& schema, SchemaType type, SeenBy seen_by,
                 std::size_t slice_bits);

  std::vector<TypeView> views_;
  std::vector<EntitySchema> schemas_;
  /// The initial values of each view; empty if there are none.
  std::vector<std::vector<LaneValue>> initial_values_;
  /// The number of slices of each view that is a first slice.
  std::vector<std::uint8_t> slice_counts_;
  std::vector<std::array<CodecType, kSeenByCount>> codec_types_;
  std::uint32_t slice_id_bits_ = 0;
};

}  // namespace muster
