#include "runtime/world/snapshot_ring.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace muster {

SnapshotRing::SnapshotRing(World& world, const Options& options)
    : world_(world), snapshots_(options.depth) {
  assert(options.depth >= 1);
  // The log also needs room for the current tick.
  const std::size_t ticks = std::size_t{options.depth} + 1;
  world_.prepare_log(ticks * options.changes_per_tick);
  for (Snapshot& snapshot : snapshots_) {
    snapshot.values.resize(world.component_type_count());
    snapshot.sizes.resize(world.component_type_count());
    for (std::uint32_t i = 0; i < world.component_type_count(); ++i) {
      snapshot.values[i].reserve(world.storage(ComponentId(i)).capacity_bytes());
    }
  }
}

void SnapshotRing::capture(Tick tick) {
  count_ = count();
  assert(count_ == 0 || tick > at(0).tick);
  newest_ = (newest_ + 1) % static_cast<std::uint32_t>(snapshots_.size());
  count_ = std::min(count_ + 1, static_cast<std::uint32_t>(snapshots_.size()));
  Snapshot& snapshot = snapshots_[newest_];
  assert(snapshot.values.size() == world_.component_type_count());
  snapshot.tick = tick;
  snapshot.bookmark = world_.bookmark();
  snapshot.initialised.assign(world_.initialised().begin(), world_.initialised().end());
  for (std::uint32_t i = 0; i < world_.component_type_count(); ++i) {
    const ComponentStorage& storage = world_.storage(ComponentId(i));
    const Bytes bytes = storage.bytes();
    ByteVector& values = snapshot.values[i];
    if (values.capacity() < bytes.size()) values.reserve(storage.capacity_bytes());
    if (values.size() < bytes.size()) values.resize(bytes.size());
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    snapshot.sizes[i] = bytes.size();
  }
  world_.forget_before(at(count_ - 1).bookmark);
}

bool SnapshotRing::restore(Tick tick) {
  const Snapshot* const snapshot = find(tick);
  if (snapshot == nullptr) return false;
  world_.undo_to(snapshot->bookmark, snapshot->initialised);
  copy_values(*snapshot, world_);
  while (at(0).tick > tick) {
    newest_ = (newest_ + static_cast<std::uint32_t>(snapshots_.size()) - 1) %
              static_cast<std::uint32_t>(snapshots_.size());
    --count_;
  }
  return true;
}

bool SnapshotRing::copy_to(Tick tick, World& out) const {
  const Snapshot* const snapshot = find(tick);
  if (snapshot == nullptr) return false;
  std::as_const(world_).undo_to(snapshot->bookmark, snapshot->initialised, out);
  copy_values(*snapshot, out);
  return true;
}

void SnapshotRing::copy_values(const Snapshot& snapshot, World& world) {
  for (std::uint32_t i = 0; i < world.component_type_count(); ++i) {
    const std::span<std::byte> bytes = world.all_bytes(ComponentId(i));
    assert(bytes.size() == snapshot.sizes[i]);
    if (!bytes.empty()) std::memcpy(bytes.data(), snapshot.values[i].data(), bytes.size());
  }
}

std::optional<Tick> SnapshotRing::oldest() const {
  return count() == 0 ? std::nullopt : std::optional(at(count() - 1).tick);
}

std::optional<Tick> SnapshotRing::newest() const {
  return count() == 0 ? std::nullopt : std::optional(at(0).tick);
}

Bytes SnapshotRing::value_at(Tick tick, ComponentId component, EntityId entity) const {
  const Snapshot* const snapshot = find(tick);
  if (snapshot == nullptr) return {};
  const std::uint32_t index = world_.index_at(snapshot->bookmark, component, entity);
  if (index == ComponentStorage::kAbsent) return {};
  const std::size_t stride = world_.storage(component).stride_bytes();
  return Bytes(snapshot->values[component.value()]).subspan(index * stride, stride);
}

std::optional<FieldDifference> SnapshotRing::first_difference(Tick tick, ComponentId component,
                                                              EntityId entity, Bytes value) const {
  const Bytes before = value_at(tick, component, entity);
  assert(!before.empty());
  return muster::first_difference(world_.storage(component).description(), before, value);
}

void SnapshotRing::clear() {
  count_ = 0;
  world_.forget_before(world_.bookmark());
}

// Searches from the newest state, because recent ticks are requested most often.
const SnapshotRing::Snapshot* SnapshotRing::find(Tick tick) const {
  const std::uint32_t kept = count();
  for (std::uint32_t age = 0; age < kept; ++age) {
    if (at(age).tick == tick) return &at(age);
    if (at(age).tick < tick) return nullptr;
  }
  return nullptr;
}

// The number of states that can be restored; 0 after an assignment to the world.
std::uint32_t SnapshotRing::count() const {
  return count_ > 0 && world_.remembers(at(0).bookmark) ? count_ : 0;
}

const SnapshotRing::Snapshot& SnapshotRing::at(std::uint32_t age) const {
  assert(age < count_);
  const auto depth = static_cast<std::uint32_t>(snapshots_.size());
  return snapshots_[(newest_ + depth - age) % depth];
}

}  // namespace muster
