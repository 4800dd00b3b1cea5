// Types of entities as one receiver sees them: the owner of an entity receives other fields of it
// than everybody else.
#pragma once

#include <array>
#include <cstdint>
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

/// A type as its owner, or everybody else, sees it.
struct TypeView {
  /// How an integer becomes a lane: less the least value of its field; those that take more than 32
  /// bits become two lanes.
  struct Part {
    enum class Half : std::uint8_t { whole, high, low };
    std::uint32_t value = 0;  ///< Its index among the entity's values.
    std::int64_t low = 0;
    Half half = Half::whole;
  };

  std::uint16_t type = 0;  ///< Index into the schema.
  SeenBy seen_by = SeenBy::others;
  std::vector<Part> parts;  ///< One for each lane.

  /// Takes the lanes out of all values of an entity. Requires: values within their fields' ranges,
  /// as many lanes as parts.
  void to_lanes(std::span<const std::int64_t> values, std::span<LaneValue> lanes) const;
  /// Puts lanes into the values; values that do not travel in this view stay as they are. Lanes
  /// come from the network: what lies outside a field's range cannot happen to lanes that a reader
  /// accepted.
  void from_lanes(std::span<const LaneValue> lanes, std::span<std::int64_t> values) const;
};

/// The codec's types of a schema: each type once, or twice when its owner sees it differently.
/// Immutable; may be shared by threads.
class TypeViews {
 public:
  /// Requires: a schema without fault.
  explicit TypeViews(const ReplicationSchema& schema);

  const TypeView& view(std::uint16_t codec_type) const { return views_[codec_type]; }
  std::size_t count() const { return views_.size(); }
  /// The codec's type for entities of `type`.
  std::uint16_t codec_type(std::uint16_t type, SeenBy seen_by) const {
    return codec_types_[type][static_cast<std::size_t>(seen_by)];
  }
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
  void add_view(const ReplicationSchema& schema, std::uint16_t type, SeenBy seen_by);

  std::vector<TypeView> views_;
  std::vector<EntitySchema> schemas_;
  std::vector<std::vector<LaneValue>> usual_;  ///< Of each view; empty for none.
  std::vector<std::array<std::uint16_t, kSeenByCount>> codec_types_;
};

/// What a payload always has room for besides a snapshot's head, on any path.
inline constexpr std::size_t kSafeStateBytes = 1'100;

/// The types of which an entity may find no room in a datagram, a line for a person each: so many
/// bytes its values have when none is as usual.
std::vector<std::string> name_large_types(const TypeViews& views,
                                          std::size_t bytes_max = kSafeStateBytes);

}  // namespace muster
