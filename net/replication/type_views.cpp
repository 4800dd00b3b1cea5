#include "net/replication/type_views.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <string>
#include <utility>

#include "net/snapshot/adopted_model.h"
#include "net/snapshot/model_file.h"

namespace muster {
namespace {

bool receives(SchemaReceivers receivers, SeenBy seen_by) {
  switch (receivers) {
    case SchemaReceivers::everyone:
      return true;
    case SchemaReceivers::owner:
      return seen_by == SeenBy::owner;
    case SchemaReceivers::all_but_owner:
      return seen_by == SeenBy::others;
  }
  return false;
}

/// A field's values as lanes, one behind the other.
class LaneMaker {
 public:
  LaneMaker(EntitySchema& schema, TypeView& view) : schema_(schema), view_(view) {}

  void add(const std::string& component, const FieldSchema& field, std::uint32_t first_value) {
    const std::uint64_t greatest =
        static_cast<std::uint64_t>(field.high) - static_cast<std::uint64_t>(field.low);
    for (std::uint32_t i = 0; i < field.value_count; ++i) {
      LaneSchema lane{.name = component + "." + field.name,
                      .kind = field.kind,
                      .greatest = static_cast<std::uint32_t>(greatest),
                      .period = static_cast<std::uint32_t>(field.period),
                      .is_of_vector = field.value_count > 1,
                      .receivers = field.receivers};
      if (field.value_count > 1) lane.name += "[" + std::to_string(i) + "]";
      const TypeView::Part part{.value = first_value + i, .low = field.low};
      if (greatest > 0xFFFF'FFFF) {
        add_halves(lane, part, greatest);
        continue;
      }
      if (field.kind == LaneKind::rotation && i % 4 == 0) {
        lane.kind = LaneKind::dropped;
        lane.greatest = 3;
      }
      schema_.lanes.push_back(lane);
      view_.parts.push_back(part);
    }
  }

 private:
  /// The upper half of a large number seldom changes; the lower one cannot be extrapolated, because
  /// it wraps.
  void add_halves(LaneSchema lane, TypeView::Part part, std::uint64_t greatest) {
    lane.kind = LaneKind::symbol;
    lane.greatest = static_cast<std::uint32_t>(greatest >> 32U);
    part.half = TypeView::Part::Half::high;
    schema_.lanes.push_back(lane);
    view_.parts.push_back(part);
    lane.kind = LaneKind::opaque;
    lane.greatest = 0xFFFF'FFFF;
    part.half = TypeView::Part::Half::low;
    schema_.lanes.push_back(lane);
    view_.parts.push_back(part);
  }

  EntitySchema& schema_;
  TypeView& view_;
};

}  // namespace

void TypeView::to_lanes(std::span<const std::int64_t> values, std::span<LaneValue> lanes) const {
  assert(lanes.size() == parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    const std::uint64_t lifted =
        static_cast<std::uint64_t>(values[part.value]) - static_cast<std::uint64_t>(part.low);
    lanes[i] = static_cast<LaneValue>(part.half == Part::Half::high ? lifted >> 32U : lifted);
  }
}

void TypeView::from_lanes(std::span<const LaneValue> lanes, std::span<std::int64_t> values) const {
  assert(lanes.size() == parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    std::uint64_t lifted = lanes[i];
    if (part.half == Part::Half::high) lifted = lifted << 32U | lanes[++i];
    values[part.value] = static_cast<std::int64_t>(static_cast<std::uint64_t>(part.low) + lifted);
  }
}

TypeViews::TypeViews(const ReplicationSchema& schema) {
  assert(find_fault(schema) == nullptr);
  for (std::uint16_t type = 0; type < schema.types.size(); ++type) {
    codec_types_.push_back(
        {static_cast<std::uint16_t>(views_.size()), static_cast<std::uint16_t>(views_.size())});
    add_view(schema, type, SeenBy::others);
    const auto is_shared = [](const FieldSchema& field) {
      return field.receivers == SchemaReceivers::everyone;
    };
    const auto& components = schema.types[type].components;
    const bool is_one = std::ranges::all_of(components, [&](std::uint16_t component) {
      return std::ranges::all_of(schema.components[component].fields, is_shared);
    });
    if (is_one) continue;
    codec_types_.back()[1] = static_cast<std::uint16_t>(views_.size());
    add_view(schema, type, SeenBy::owner);
  }
}

void TypeViews::add_view(const ReplicationSchema& schema, std::uint16_t type, SeenBy seen_by) {
  TypeView view{.type = type, .seen_by = seen_by, .parts = {}};
  EntitySchema entity{.name = std::to_string(schema.types[type].id), .lanes = {}};
  if (seen_by == SeenBy::owner) entity.name += "/owner";
  LaneMaker maker(entity, view);
  std::uint32_t value = 0;
  for (const std::uint16_t component : schema.types[type].components) {
    for (const FieldSchema& field : schema.components[component].fields) {
      if (receives(field.receivers, seen_by)) {
        maker.add(schema.components[component].name, field, value);
      }
      value += field.value_count;
    }
  }
  usual_.emplace_back();
  if (!schema.types[type].usual.empty()) {
    usual_.back().resize(view.parts.size());
    view.to_lanes(schema.types[type].usual, usual_.back());
  }
  views_.push_back(std::move(view));
  schemas_.push_back(std::move(entity));
}

std::string TypeViews::lane_name(std::uint16_t codec_type, std::size_t lane) const {
  const std::vector<LaneSchema>& lanes = schemas_[codec_type].lanes;
  return lane < lanes.size() ? lanes[lane].name : std::string();
}

SnapshotModel TypeViews::model(const SnapshotModel& trained) const {
  // Corrections and codes belong to the types in their order: what is trained on just these is
  // taken as it is.
  if (std::ranges::equal(trained.types, schemas_, {}, &TypeModel::schema)) return trained;
  std::vector<std::string> sources;
  for (const EntitySchema& schema : schemas_) {
    const bool is_there = std::ranges::any_of(
        trained.types, [&](const TypeModel& type) { return type.schema.name == schema.name; });
    sources.push_back(is_there ? schema.name : schema.name.substr(0, schema.name.find('/')));
  }
  SnapshotModel model = untrained_model(schemas_);
  for (std::size_t i = 0; i < model.types.size(); ++i) {
    for (std::size_t k = 0; k < usual_[i].size(); ++k) {
      model.types[i].lanes[k].usual = usual_[i][k];
    }
  }
  adopt(trained, sources, model);
  return model;
}

SnapshotModel TypeViews::model_of_file(std::span<const std::byte> file) const {
  SnapshotModel trained;
  std::string error;
  if (!file.empty()) {
    [[maybe_unused]] const bool is_model = decode_model(file, trained, error);
    assert(is_model);
  }
  return model(trained);
}

std::vector<std::string> name_large_types(const TypeViews& views, std::size_t bytes_max) {
  std::vector<std::string> lines;
  for (const EntitySchema& schema : views.schemas()) {
    std::size_t bits = 0;
    for (const LaneSchema& lane : schema.lanes) {
      bits += static_cast<std::size_t>(std::bit_width(lane.greatest)) + 1;  // And: as usual?
    }
    if (bits <= 8 * bytes_max) continue;
    lines.push_back("type " + schema.name + " has up to " + std::to_string(bits / 8) +
                    " bytes of values: with more than " + std::to_string(bytes_max) +
                    " an entity may find no room in a datagram, and is not told then");
  }
  return lines;
}

}  // namespace muster
