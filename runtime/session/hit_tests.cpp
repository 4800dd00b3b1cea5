#include "runtime/session/hit_tests.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "registry/components/quantisation.h"
#include "runtime/world/math.h"

namespace muster {
namespace {

/// The number of kept states. These states reach back to the oldest allowed view, plus four
/// snapshot intervals.
std::uint32_t state_count(const Game& game) {
  const auto interval = static_cast<std::uint32_t>(
      std::max(1, game.ticks_per_second / game.sync.snapshots_per_second));
  return states_for(game.sync.rewind_max, game.ticks_per_second) + 4 * interval;
}

const FieldDescription* field_of(const ComponentDescription& description, std::string_view name,
                                 FieldType type) {
  const FieldDescription* const field = description.find(name);
  return field != nullptr && field->type == type && field->count == 1 ? field : nullptr;
}

/// The value of a component's field, rounded as on the wire.
template <typename T>
T rounded(const FieldDescription& field, Bytes component) {
  std::array<std::int64_t, 4> steps{};
  std::array<std::byte, 256> copy{};
  const std::uint32_t count = wire_value_count(field);
  T value{};
  if (count <= steps.size() && component.size() <= copy.size()) {
    quantise(field, component, std::span(steps).first(count));
    const auto out = std::span(copy).first(component.size());
    dequantise(field, std::span(steps).first(count), out);
    std::memcpy(&value, copy.data() + field.offset_bytes, sizeof value);
  } else {
    std::memcpy(&value, component.data() + field.offset_bytes, sizeof value);
  }
  return value;
}

float largest(Vec3 value) {
  return std::max({std::abs(value.x), std::abs(value.y), std::abs(value.z)});
}

}  // namespace

HitTests::HitTests(const World& world, const Game& game)
    : world_(world),
      game_(game),
      transform_(world.find_component("Transform")),
      volume_(world.find_component("HitVolume")),
      replicated_(world.find_component("ReplicatedEntity")),
      history_({.states = state_count(game),
                .metres_per_tick_max = session_detail::teleport_metres_per_tick(game)}) {
  if (transform_) {
    const ComponentDescription& described = world.storage(*transform_).description();
    position_ = field_of(described, "position", FieldType::vec3);
    rotation_ = field_of(described, "rotation", FieldType::quaternion);
    scale_ = field_of(described, "scale", FieldType::vec3);
  }
  const bool is_ours =
      volume_ && world.storage(*volume_).description().hash() == description_of<HitVolume>().hash();
  if (!is_ours || position_ == nullptr) volume_.reset();
}

void HitTests::record(Tick tick) {
  if (!volume_) return;
  rewound_to_.reset();
  history_.begin(tick);
  for (const EntityId entity : world_.storage(*volume_).owners()) {
    if (!world_.has(*transform_, entity)) continue;
    const Bytes bytes = world_.bytes(*transform_, entity);
    const Vec3 scale = scale_ != nullptr ? rounded<Vec3>(*scale_, bytes) : Vec3{1, 1, 1};
    const HitVolume volume = rounded_volume(entity, scale);
    note(entity, &volume);
    for (EntityId above = parent_with_pose(entity); !above.is_null();
         above = parent_with_pose(above)) {
      if (!world_.has(*volume_, above)) note(above, nullptr);
    }
  }
  history_.end();
}

void HitTests::note(EntityId entity, const HitVolume* volume) {
  const Bytes bytes = world_.bytes(*transform_, entity);
  Pose pose{.position = rounded<Vec3>(*position_, bytes), .rotation = {}};
  if (rotation_ != nullptr) pose.rotation = rounded<Quaternion>(*rotation_, bytes);
  history_.note({.entity = entity,
                 .target = replicated_above(entity),
                 .parent = parent_with_pose(entity),
                 .pose = pose,
                 .volume = volume});
}

EntityId HitTests::parent_with_pose(EntityId entity) const {
  EntityId above = world_.parent(entity);
  while (!above.is_null() && !world_.has(*transform_, above)) above = world_.parent(above);
  return above;
}

EntityId HitTests::replicated_above(EntityId entity) const {
  EntityId above = entity;
  while (replicated_ && !above.is_null() && !world_.has(*replicated_, above)) {
    above = world_.parent(above);
  }
  return above.is_null() ? entity : above;
}

HitVolume HitTests::rounded_volume(EntityId entity, Vec3 scale) const {
  const Bytes bytes = world_.bytes(*volume_, entity);
  const ComponentDescription& description = world_.storage(*volume_).description();
  HitVolume volume;
  std::memcpy(&volume, bytes.data(), sizeof volume);
  volume.center = rounded<Vec3>(*description.find("center"), bytes);
  volume.radius = rounded<float>(*description.find("radius"), bytes) * largest(scale);
  volume.half_height = rounded<float>(*description.find("half_height"), bytes) * std::abs(scale.y);
  volume.half_size = rounded<Vec3>(*description.find("half_size"), bytes);
  const auto grow = [&](Vec3& value) {
    value = {value.x * scale.x, value.y * scale.y, value.z * scale.z};
  };
  grow(volume.center);
  grow(volume.half_size);
  volume.half_size = {std::abs(volume.half_size.x), std::abs(volume.half_size.y),
                      std::abs(volume.half_size.z)};
  return volume;
}

HitTests::Results& HitTests::next_results() {
  // Callers keep spans of earlier results. When `results_` grows, the elements of these spans do
  // not move.
  if (used_ == results_.size()) results_.emplace_back();
  Results& next = results_[used_++];
  next.hits.clear();
  next.splashed.clear();
  return next;
}

void HitTests::go_to(const std::optional<ViewTime>& view) {
  const ViewTime wanted =
      view || history_.is_empty() ? view.value_or(ViewTime()) : ViewTime::at(history_.newest());
  if (rewound_to_ == wanted) return;
  rewound_.begin(history_, wanted);
  rewound_to_ = wanted;
}

std::span<const Hit> HitTests::hits(const Shot& shot, PlayerId shooter) {
  if (history_.is_empty()) return {};
  go_to(view_ ? view_(shooter) : std::nullopt);
  Environment environment;
  struct ObstacleQuery {
    const World& world;
    ObstacleFunction obstacle;
  };
  const ObstacleQuery query{world_, game_.overrides.obstacle_function()};
  if (query.obstacle != nullptr) {
    environment = {&query, [](const void* context, Vec3 from, Vec3 direction, float metres_max) {
                     const ObstacleQuery& question = *static_cast<const ObstacleQuery*>(context);
                     return question.obstacle(question.world, from, direction, metres_max);
                   }};
  }
  std::vector<Hit>& found = next_results().hits;
  resolve_shot(rewound_, shot, environment, scratch_, found);
  return found;
}

std::span<const SplashHit> HitTests::splash(const Splash& splash) {
  if (history_.is_empty()) return {};
  go_to(std::nullopt);
  std::vector<SplashHit>& found = next_results().splashed;
  resolve_splash(rewound_, splash, scratch_, found);
  return found;
}

std::span<const Hit> HitTests::hits_within(Vec3 center, float metres, std::uint32_t layers) {
  if (history_.is_empty()) return {};
  const std::span<const SplashHit> reached =
      splash({.center = center, .metres = metres, .full_metres = metres, .layers = layers});
  std::vector<Hit>& found = next_results().hits;
  for (const SplashHit& one : reached) found.push_back(one.hit);
  return found;
}

}  // namespace muster
