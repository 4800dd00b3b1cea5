// Types of entities as one receiver sees them: the owner of an entity receives other fields of it
// than everybody else. What is too large for a datagram travels in several, as slices.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "net/replication/replication_schema.h"
#include "net/snapshot/lane.h"
#include "net/snapshot/snapshot_model.h"

namespace muster {

/// Who looks at an entity.
enum class SeenBy : std::uint8_t { others = 0, owner = 1 };
inline constexpr std::size_t kSeenByCount = 2;

/// A type as its owner, or everybody else, sees it; of a large one, a slice of that.
struct TypeView {
  /// How an integer becomes a lane: less the least value of its field; those that take more than 32
  /// bits become two lanes.
  struct Part {
    enum class Half : std::uint8_t { whole, high, low };
    std::uint32_t value = 0;  ///< Its index among the entity's values.
    std::int64_t low = 0;
    std::uint64_t greatest = 0;  ///< Above `low`; of both halves together.
    std::uint64_t period = 0;    ///< Of an angle.
    Half half = Half::whole;
  };

  std::uint16_t type = 0;  ///< Index into the schema.
  SeenBy seen_by = SeenBy::others;
  std::uint32_t slice = 0;
  std::uint32_t first_lane = 0;  ///< So many lanes are in slices before this one.
  std::vector<Part> parts;       ///< One for each lane.

  /// Takes the lanes out of all values of an entity. A value outside its field's range is brought
  /// into it: an angle by whole turns if that is enough, any other value to the nearest end.
  /// Returns whether there was one. Requires: as many lanes as parts.
  bool to_lanes(std::span<const std::int64_t> values, std::span<LaneValue> lanes) const;
  /// Puts lanes into the values; values that do not travel in this view stay as they are. Lanes
  /// come from the network: what lies outside a field's range cannot happen to lanes that a reader
  /// accepted.
  void from_lanes(std::span<const LaneValue> lanes, std::span<std::int64_t> values) const;
};

/// The most bits of lanes, weighed as REPLICATION_FORMAT.md says ("Slices"), that travel together:
/// with built-in priors a payload has room for as many on any path.
inline constexpr std::size_t kSliceBits = 8'800;
/// For files, which have room for everything.
inline constexpr std::size_t kNoSlices = std::numeric_limits<std::size_t>::max();

/// The codec's types of a schema: each type once, or twice when its owner sees it differently; and
/// of one whose entities may not fit into a datagram, so many slices. To the codec the slices of an
/// entity are entities with ids next to each other. Immutable; may be shared by threads.
class TypeViews {
 public:
  /// Requires: a schema without fault.
  explicit TypeViews(const ReplicationSchema& schema, std::size_t slice_bits = kSliceBits);

  const TypeView& view(std::uint16_t codec_type) const { return views_[codec_type]; }
  std::size_t count() const { return views_.size(); }
  /// The codec's type for entities of `type`: of the first slice. Those of the others follow.
  std::uint16_t codec_type(std::uint16_t type, SeenBy seen_by) const {
    return codec_types_[type][static_cast<std::size_t>(seen_by)];
  }
  /// How many slices an entity has whose first one is of `codec_type`; nearly always 1.
  std::size_t slice_count(std::uint16_t codec_type) const { return slice_counts_[codec_type]; }
  /// Whether a codec type is one of several slices.
  bool is_cut(std::uint16_t codec_type) const {
    return views_[codec_type].slice > 0 || slice_counts_[codec_type] > 1;
  }
  /// Lanes of all slices of an entity whose first one is of `codec_type`.
  std::size_t lane_count(std::uint16_t codec_type) const;
  /// Takes the lanes of all slices out of an entity's values, whose first slice is of
  /// `codec_type`, and puts them back, as a view's `to_lanes` and `from_lanes` do.
  bool to_row(std::uint16_t codec_type, std::span<const std::int64_t> values,
              std::span<LaneValue> row) const;
  void from_row(std::uint16_t codec_type, const LaneValue* row,
                std::span<std::int64_t> values) const;
  /// What an entity's slices are called in snapshots: `slice_id(id, 0)` and so on; the id itself in
  /// a schema without slices. Requires: an entity's id below `id_end`.
  std::uint32_t slice_id(std::uint32_t entity, std::uint32_t slice) const {
    return entity << slice_id_bits_ | slice;
  }
  /// So many ids in snapshots belong to each entity; few have slices for all. 1 without slices.
  std::uint32_t slice_ids() const { return 1U << slice_id_bits_; }
  std::uint32_t entity_of(std::uint32_t slice_id) const { return slice_id >> slice_id_bits_; }
  /// Entities have ids below this: 2^32 - 1 in a schema without slices.
  std::uint32_t id_end() const { return 0xFFFF'FFFF >> slice_id_bits_; }
  /// What the codec is told of each; the same on both sides.
  const std::vector<EntitySchema>& schemas() const { return schemas_; }
  /// What a lane is called: `Component.field`, `[i]` behind it when the field has several values;
  /// empty when there is no such lane.
  std::string lane_name(std::uint16_t codec_type, std::size_t lane) const;
  /// The codec's model: `trained` itself when it was trained on just these types. Else what it
  /// knows of types with the same name and lanes, and the built-in priors for all others; `mix`
  /// then has no corrections, and `huffman` its built-in codes.
  SnapshotModel model(const SnapshotModel& trained) const;
  /// The same from a model file of ours; empty for the built-in priors. Requires: one that decodes.
  SnapshotModel model_of_file(std::span<const std::byte> file) const;

 private:
  void add_views(const ReplicationSchema& schema, std::uint16_t type, SeenBy seen_by,
                 std::size_t slice_bits);

  std::vector<TypeView> views_;
  std::vector<EntitySchema> schemas_;
  std::vector<std::vector<LaneValue>> usual_;  ///< Of each view; empty for none.
  std::vector<std::uint8_t> slice_counts_;     ///< Of each view that is a first slice.
  std::vector<std::array<std::uint16_t, kSeenByCount>> codec_types_;
  std::uint32_t slice_id_bits_ = 0;
};

}  // namespace muster
