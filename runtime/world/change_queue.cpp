#include "runtime/world/change_queue.h"

#include <cassert>

namespace muster {

QueuedEntity ChangeQueue::create(const EntityOptions& options) {
  return create_below(options.parent, options);
}

QueuedEntity ChangeQueue::create_below(QueuedEntity parent, const EntityOptions& options) {
  return create_below(target(parent), options);
}

QueuedEntity ChangeQueue::create_below(EntityId parent, const EntityOptions& options) {
  return create_below(Target{.entity = parent}, options);
}

QueuedEntity ChangeQueue::create_below(const Target& parent, const EntityOptions& options) {
  changes_.push_back({Kind::create, parent, {}, 0, options});
  return {created_++, round_};
}

void ChangeQueue::add(ComponentId component, EntityId entity, Bytes value) {
  add(component, Target{.entity = entity}, value);
}

void ChangeQueue::add(ComponentId component, QueuedEntity entity, Bytes value) {
  add(component, target(entity), value);
}

void ChangeQueue::add(ComponentId component, const Target& target, Bytes value) {
  changes_.push_back({Kind::add, target, component, values_.size(), {}});
  values_.insert(values_.end(), value.begin(), value.end());
}

void ChangeQueue::remove(ComponentId component, EntityId entity) {
  changes_.push_back({Kind::remove, {.entity = entity}, component, 0, {}});
}

void ChangeQueue::remove(ComponentId component, QueuedEntity entity) {
  changes_.push_back({Kind::remove, target(entity), component, 0, {}});
}

void ChangeQueue::request_despawn(EntityId entity) {
  changes_.push_back({Kind::despawn, {.entity = entity}, {}, 0, {}});
}

void ChangeQueue::request_despawn(QueuedEntity entity) {
  changes_.push_back({Kind::despawn, target(entity), {}, 0, {}});
}

std::uint32_t ChangeQueue::apply(World& world) {
  std::uint32_t void_count = 0;
  made_.clear();
  for (const Change& change : changes_) {
    if (!apply(world, change)) ++void_count;
  }
  changes_.clear();
  values_.clear();
  created_ = 0;
  ++round_;
  return void_count;
}

void ChangeQueue::reserve(std::size_t changes, std::size_t value_bytes) {
  changes_.reserve(changes);
  made_.reserve(changes);
  values_.reserve(value_bytes);
}

ChangeQueue::Target ChangeQueue::target(QueuedEntity entity) const {
  assert(entity.round_ == round_);     // Fails for an entity of an earlier round of this queue.
  assert(entity.ordinal_ < created_);  // Fails for an entity of another queue.
  return {.entity = {}, .ordinal = entity.ordinal_};
}

EntityId ChangeQueue::resolve(const Target& target) const {
  return target.is_queued() ? made_[target.ordinal] : target.entity;
}

bool ChangeQueue::apply(World& world, const Change& change) {
  const EntityId entity = resolve(change.target);
  switch (change.kind) {
    case Kind::create: {
      // If the parent was removed, the child is not created.
      const bool can_be_made =
          entity.is_null() ? !change.target.is_queued() : world.is_alive(entity);
      EntityOptions options = change.options;
      options.parent = entity;
      made_.push_back(can_be_made ? world.create(options) : EntityId());
      return can_be_made;
    }
    case Kind::add: {
      const std::size_t stride = world.storage(change.component).stride_bytes();
      return world.add(change.component, entity,
                       Bytes(values_).subspan(change.offset_bytes, stride));
    }
    case Kind::remove:
      return world.remove(change.component, entity);
    case Kind::despawn:
      return world.request_despawn(entity);
  }
  return false;
}

}  // namespace muster
