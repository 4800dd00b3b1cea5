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

bool receives(Receivers receivers, SeenBy seen_by) {
  switch (receivers) {
    case Receivers::everyone:
      return true;
    case Receivers::owner:
      return seen_by == SeenBy::owner;
    case Receivers::all_but_owner:
      return seen_by == SeenBy::others;
  }
  return false;
}

/// The maximum number of bits that a lane needs with built-in priors, even for an unlikely value.
/// In measurements of all kinds and sizes of lanes, this number was at most 35 above the bits of
/// `maximum` (slices_test.cpp).
std::size_t weight_of(const LaneSchema& lane) {
  constexpr std::size_t kSurpriseMax = 36;
  return static_cast<std::size_t>(std::bit_width(lane.maximum)) + kSurpriseMax;
}

/// A type's lanes, before they are split into slices.
struct Lanes {
  std::vector<LaneSchema> schemas;
  std::vector<TypeView::Part> parts;
  /// True for a lane that must be in the same slice as the lane before it.
  std::vector<bool> goes_on;
};

/// Converts a field's values to consecutive lanes.
class LaneMaker {
 public:
  explicit LaneMaker(Lanes& lanes) : lanes_(lanes) {}

  void add(const std::string& component, const FieldSchema& field, std::uint32_t first_value) {
    const std::uint64_t maximum =
        static_cast<std::uint64_t>(field.high) - static_cast<std::uint64_t>(field.low);
    for (std::uint32_t i = 0; i < field.value_count; ++i) {
      LaneSchema lane{.name = component + "." + field.name,
                      .kind = field.kind,
                      .maximum = static_cast<std::uint32_t>(maximum),
                      .period = static_cast<std::uint32_t>(field.period),
                      .is_of_vector = field.value_count > 1,
                      .receivers = field.receivers};
      if (field.value_count > 1) lane.name += "[" + std::to_string(i) + "]";
      const TypeView::Part part{.value = first_value + i,
                                .low = field.low,
                                .maximum = maximum,
                                .period = field.period,
                                .zero = zero_of(field)};
      if (maximum > 0xFFFF'FFFF) {
        add_halves(lane, part, maximum);
        continue;
      }
      const bool is_rotation = field.kind == LaneKind::rotation;
      if (is_rotation && i % 4 == 0) {
        lane.kind = LaneKind::dropped;
        lane.maximum = 3;
      }
      add(lane,
          {.value = part.value,
           .low = part.low,
           .maximum = lane.maximum,
           .period = part.period,
           .zero = part.zero},
          is_rotation && i % 4 != 0);
    }
  }

 private:
  /// The upper half of a large number rarely changes; the lower half wraps, so it cannot be
  /// extrapolated.
  void add_halves(LaneSchema lane, TypeView::Part part, std::uint64_t maximum) {
    lane.kind = LaneKind::symbol;
    lane.maximum = static_cast<std::uint32_t>(maximum >> 32U);
    part.half = TypeView::Part::Half::high;
    add(lane, part, false);
    lane.kind = LaneKind::opaque;
    lane.maximum = 0xFFFF'FFFF;
    part.half = TypeView::Part::Half::low;
    add(lane, part, true);
  }

  void add(const LaneSchema& lane, const TypeView::Part& part, bool goes_on) {
    lanes_.schemas.push_back(lane);
    lanes_.parts.push_back(part);
    lanes_.goes_on.push_back(goes_on);
  }

  Lanes& lanes_;
};

/// Returns the end of each slice. A slice is as long as `slice_bits` allows, and never ends between
/// lanes that belong together.
std::vector<std::size_t> slice_ends(const Lanes& lanes, std::size_t slice_bits) {
  std::vector<std::size_t> ends;
  const std::size_t count = lanes.schemas.size();
  std::size_t bits = 0;
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    std::size_t own = 0;
    for (end = begin; end < count && (end == begin || lanes.goes_on[end]); ++end) {
      own += weight_of(lanes.schemas[end]);
    }
    if (begin > 0 && bits + own > slice_bits) {
      ends.push_back(begin);
      bits = 0;
    }
    bits += own;
  }
  ends.push_back(count);
  return ends;
}

}  // namespace

bool TypeView::to_lanes(std::span<const std::int64_t> values, std::span<LaneValue> lanes) const {
  assert(lanes.size() == parts.size());
  bool has_clamped = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    std::uint64_t lifted =
        static_cast<std::uint64_t>(values[part.value]) - static_cast<std::uint64_t>(part.low);
    if (lifted > part.maximum) {
      lifted = lift_into_range(values[part.value], part.low, part.maximum, part.period, part.zero);
      has_clamped = true;
    }
    lanes[i] = static_cast<LaneValue>(part.half == Part::Half::high ? lifted >> 32U : lifted);
  }
  return has_clamped;
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

TypeViews::TypeViews(const ReplicationSchema& schema, std::size_t slice_bits) {
  assert(find_fault(schema) == nullptr);
  for (std::uint16_t i = 0; i < schema.types.size(); ++i) {
    const SchemaType type{i};
    const auto first = static_cast<CodecType>(views_.size());
    codec_types_.push_back({first, first});
    add_views(schema, type, SeenBy::others, slice_bits);
    const auto is_shared = [](const FieldSchema& field) {
      return field.receivers == Receivers::everyone;
    };
    const auto& components = schema.type(type).components;
    const bool is_one = std::ranges::all_of(components, [&](SchemaComponent component) {
      return std::ranges::all_of(schema.component(component).fields, is_shared);
    });
    if (is_one) continue;
    codec_types_.back()[1] = static_cast<CodecType>(views_.size());
    add_views(schema, type, SeenBy::owner, slice_bits);
  }
  const auto maximum = *std::ranges::max_element(slice_counts_);
  slice_id_bits_ = static_cast<std::uint32_t>(std::bit_width(maximum - 1U));
}

void TypeViews::add_views(const ReplicationSchema& schema, SchemaType type, SeenBy seen_by,
                          std::size_t slice_bits) {
  Lanes lanes;
  LaneMaker maker(lanes);
  std::uint32_t value = 0;
  for (const SchemaComponent component : schema.type(type).components) {
    for (const FieldSchema& field : schema.component(component).fields) {
      if (receives(field.receivers, seen_by)) {
        maker.add(schema.component(component).name, field, value);
      }
      value += field.value_count;
    }
  }
  std::string name = std::to_string(schema.type(type).id.value());
  if (seen_by == SeenBy::owner) name += "/owner";
  const std::vector<std::size_t> ends = slice_ends(lanes, slice_bits);
  std::size_t begin = 0;
  for (std::uint32_t slice = 0; slice < ends.size(); ++slice) {
    const auto from = static_cast<std::ptrdiff_t>(std::exchange(begin, ends[slice]));
    const auto to = static_cast<std::ptrdiff_t>(ends[slice]);
    TypeView view{.type = type,
                  .seen_by = seen_by,
                  .slice = SliceIndex{slice},
                  .first_lane = static_cast<std::uint32_t>(from),
                  .parts = {lanes.parts.begin() + from, lanes.parts.begin() + to}};
    initial_values_.emplace_back();
    if (!schema.type(type).initial_values.empty()) {
      initial_values_.back().resize(view.parts.size());
      view.to_lanes(schema.type(type).initial_values, initial_values_.back());
    }
    views_.push_back(std::move(view));
    schemas_.push_back({.name = slice == 0 ? name : name + "/" + std::to_string(slice),
                        .lanes = {lanes.schemas.begin() + from, lanes.schemas.begin() + to}});
    slice_counts_.push_back(slice == 0 ? static_cast<std::uint8_t>(ends.size()) : std::uint8_t{1});
  }
}

std::size_t TypeViews::lane_count(CodecType codec_type) const {
  const TypeView& last = views_[codec_index(codec_type) + slice_count(codec_type) - 1];
  return last.first_lane + last.parts.size();
}

bool TypeViews::to_row(CodecType codec_type, std::span<const std::int64_t> values,
                       std::span<LaneValue> row) const {
  assert(row.size() == lane_count(codec_type));
  bool has_clamped = false;
  const std::size_t first = codec_index(codec_type);
  for (std::size_t i = first; i < first + slice_count(codec_type); ++i) {
    const std::span<LaneValue> lanes = row.subspan(views_[i].first_lane, views_[i].parts.size());
    has_clamped = views_[i].to_lanes(values, lanes) || has_clamped;
  }
  return has_clamped;
}

void TypeViews::from_row(CodecType codec_type, const LaneValue* row,
                         std::span<std::int64_t> values) const {
  const std::size_t first = codec_index(codec_type);
  for (std::size_t i = first; i < first + slice_count(codec_type); ++i) {
    views_[i].from_lanes(std::span(row + views_[i].first_lane, views_[i].parts.size()), values);
  }
}

std::string TypeViews::lane_name(CodecType codec_type, std::size_t lane) const {
  const std::vector<LaneSchema>& lanes = schemas_[codec_index(codec_type)].lanes;
  return lane < lanes.size() ? lanes[lane].name : std::string();
}

SnapshotModel TypeViews::model(const SnapshotModel& trained) const {
  // A model that was trained on exactly these types in this order is used unchanged, because its
  // corrections and codes depend on the order.
  if (std::ranges::equal(trained.types, schemas_, {}, &TypeModel::schema)) return trained;
  std::vector<std::string> sources;
  for (const EntitySchema& schema : schemas_) {
    const auto is_there = [&](const std::string& name) {
      return std::ranges::any_of(trained.types,
                                 [&](const TypeModel& type) { return type.schema.name == name; });
    };
    // If no trained type has the name, removes the slice from the name, and then the owner.
    sources.push_back(schema.name);
    for (auto& name = sources.back(); !is_there(name) && name.find('/') != std::string::npos;) {
      name.resize(name.rfind('/'));
    }
  }
  SnapshotModel model = untrained_model(schemas_);
  for (std::size_t i = 0; i < model.types.size(); ++i) {
    for (std::size_t k = 0; k < initial_values_[i].size(); ++k) {
      model.types[i].lanes[k].initial_value = initial_values_[i][k];
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

}  // namespace muster
