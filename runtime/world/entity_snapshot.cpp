#include "runtime/world/entity_snapshot.h"

#include <algorithm>
#include <cassert>

namespace muster {

void EntitySnapshot::reserve(std::size_t entities, std::size_t components,
                             std::size_t value_bytes) {
  entities_.reserve(entities);
  parts_.reserve(components);
  values_.reserve(value_bytes);
}

void EntitySnapshot::capture(const World& world, std::span<const EntityId> entities) {
  entities_.assign(entities.begin(), entities.end());
  parts_.clear();
  values_.clear();
  for (std::uint32_t e = 0; e < entities_.size(); ++e) {
    for (std::uint32_t i = 0; i < world.component_type_count(); ++i) {
      const Bytes value = world.bytes(ComponentId(i), entities_[e]);
      if (value.empty()) continue;
      parts_.push_back({e, ComponentId(i), values_.size()});
      values_.insert(values_.end(), value.begin(), value.end());
    }
  }
}

template <typename Visit>
void EntitySnapshot::each(const World& world, Visit visit) const {
  auto part = parts_.begin();
  for (std::uint32_t e = 0; e < entities_.size(); ++e) {
    for (std::uint32_t i = 0; i < world.component_type_count(); ++i) {
      const ComponentId id(i);
      Bytes value;
      if (part != parts_.end() && part->entity == e && part->component == id) {
        value = Bytes(values_).subspan(part->offset_bytes, world.storage(id).stride_bytes());
        ++part;
      }
      if (!visit(entities_[e], id, value)) return;
    }
  }
}

std::uint32_t EntitySnapshot::restore(World& world) const {
  each(world, [&](EntityId entity, ComponentId id, Bytes value) {
    if (!world.is_alive(entity)) return true;
    const std::span<std::byte> target = world.bytes(id, entity);
    if (value.empty()) {
      world.remove(id, entity);
    } else if (target.empty()) {
      world.add(id, entity, value);
    } else {
      std::ranges::copy(value, target.begin());
    }
    return true;
  });
  const auto is_gone = [&](EntityId entity) { return !world.is_alive(entity); };
  return static_cast<std::uint32_t>(std::ranges::count_if(entities_, is_gone));
}

std::optional<EntityDifference> EntitySnapshot::first_difference(const World& world) const {
  std::optional<EntityDifference> found;
  each(world, [&](EntityId entity, ComponentId id, Bytes before) {
    const Bytes now = world.bytes(id, entity);
    if (before.empty() != now.empty()) {
      found = {.entity = entity, .component = id, .field = std::nullopt};
    } else if (!before.empty()) {
      const ComponentDescription& description = world.storage(id).description();
      const auto field = muster::first_difference(description, before, now);
      if (field) found = {.entity = entity, .component = id, .field = field};
    }
    return !found.has_value();
  });
  return found;
}

Bytes EntitySnapshot::value(ComponentId component, EntityId entity) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].component != component || entities_[parts_[i].entity] != entity) continue;
    const std::size_t end = i + 1 < parts_.size() ? parts_[i + 1].offset_bytes : values_.size();
    return Bytes(values_).subspan(parts_[i].offset_bytes, end - parts_[i].offset_bytes);
  }
  return {};
}

EntitySnapshotRing::EntitySnapshotRing(const Options& options) : slots_(options.depth) {
  assert(options.depth >= 1);
  for (Slot& slot : slots_) {
    slot.snapshot.reserve(options.entities, options.components, options.value_bytes);
  }
}

void EntitySnapshotRing::capture(Tick tick, const World& world,
                                 std::span<const EntityId> entities) {
  assert(count_ == 0 || tick > at(0).tick);
  const auto depth = static_cast<std::uint32_t>(slots_.size());
  newest_ = (newest_ + 1) % depth;
  count_ = std::min(count_ + 1, depth);
  slots_[newest_].tick = tick;
  slots_[newest_].snapshot.capture(world, entities);
}

const EntitySnapshot* EntitySnapshotRing::find(Tick tick) const {
  for (std::uint32_t age = 0; age < count_ && at(age).tick >= tick; ++age) {
    if (at(age).tick == tick) return &at(age).snapshot;
  }
  return nullptr;
}

void EntitySnapshotRing::forget_after(Tick tick) {
  const auto depth = static_cast<std::uint32_t>(slots_.size());
  while (count_ > 0 && at(0).tick > tick) {
    newest_ = (newest_ + depth - 1) % depth;
    --count_;
  }
}

std::optional<Tick> EntitySnapshotRing::oldest() const {
  return count_ == 0 ? std::nullopt : std::optional(at(count_ - 1).tick);
}

std::optional<Tick> EntitySnapshotRing::newest() const {
  return count_ == 0 ? std::nullopt : std::optional(at(0).tick);
}

const EntitySnapshotRing::Slot& EntitySnapshotRing::at(std::uint32_t age) const {
  assert(age < count_);
  const auto depth = static_cast<std::uint32_t>(slots_.size());
  return slots_[(newest_ + depth - age) % depth];
}

}  // namespace muster
