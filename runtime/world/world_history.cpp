// The part of World that records, undoes and reports changes for `SnapshotRing`, `ViewEvents` and
// `ComponentEvents`. This file also contains assignment, because an assignment drops all recorded
// changes.
#include <algorithm>
#include <cassert>

#include "runtime/world/world.h"

namespace muster {

World& World::operator=(const World& other) {
  if (this == &other) return *this;
  const std::uint64_t version = std::max(last_version_, other.last_version_);
  touch_all();
  storages_ = other.storages_;
  records_ = other.records_;
  signatures_ = other.signatures_;
  state_ = other.state_;
  initialised_ = other.initialised_;
  names_.become(other.names_);
  last_birth_ = std::max(last_birth_, other.last_birth_);
  end_count_ = std::max(end_count_, other.end_count_) + 1;
  replaced(version);
  return *this;
}

World& World::operator=(World&& other) noexcept {
  if (this == &other) return *this;
  const std::uint64_t version = std::max(last_version_, other.last_version_);
  touch_all();
  storages_ = std::move(other.storages_);
  records_ = std::move(other.records_);
  signatures_ = std::move(other.signatures_);
  state_ = other.state_;
  initialised_ = std::move(other.initialised_);
  names_.become(other.names_);
  last_birth_ = std::max(last_birth_, other.last_birth_);
  end_count_ = std::max(end_count_, other.end_count_) + 1;
  replaced(version);
  return *this;
}

/// Drops unused names. Names of entities that a ring can restore count as used.
void World::forget_names() {
  std::vector<NameId> used;
  for (const EntityRecord& record : records_) {
    if (record.is_alive != 0 && record.name != NameId::empty) used.push_back(record.name);
  }
  for (std::uint64_t at = watch_.log.begin(); at < watch_.log.end(); ++at) {
    used.push_back(watch_.log.at(at).before.name);
  }
  std::ranges::sort(used);
  names_.forget_unused(used);
}

void World::prepare_log(std::size_t changes) {
  assert(!watch_.has_ring);
  watch_.has_ring = true;
  watch_.log.reserve(changes);
}

World::Bookmark World::bookmark() {
  assert(watch_.has_ring);
  watch_.is_logging = true;
  Bookmark here = state_;
  here.log_position = watch_.log.end();
  return here;
}

void World::undo_to(const Bookmark& bookmark, std::span<const EntityComponent> initialised) {
  assert(remembers(bookmark));
  while (watch_.log.end() > bookmark.log_position) undo(watch_.log.pop());
  state_ = bookmark;
  ++end_count_;
  initialised_.assign(initialised.begin(), initialised.end());
}

void World::undo_to(const Bookmark& bookmark, std::span<const EntityComponent> initialised,
                    World& out) const {
  assert(remembers(bookmark) && &out != this);
  out = *this;
  for (std::uint64_t at = watch_.log.end(); at > bookmark.log_position; --at) {
    out.undo(watch_.log.at(at - 1));
  }
  out.state_ = bookmark;
  out.initialised_.assign(initialised.begin(), initialised.end());
}

std::uint32_t World::index_at(const Bookmark& bookmark, ComponentId id, EntityId entity) const {
  std::uint32_t index = storages_[id.value()].index_of(entity);
  for (std::uint64_t at = watch_.log.end(); at > bookmark.log_position; --at) {
    const WorldChange& change = watch_.log.at(at - 1);
    if (change.component != id) continue;
    if (change.kind == WorldChange::Kind::component_added) {
      if (change.entity == entity) index = ComponentStorage::kAbsent;
    } else if (change.kind == WorldChange::Kind::component_removed) {
      // The removal had moved the last component to the index of the removed component.
      if (change.entity == entity) {
        index = change.index;
      } else if (index == change.index && change.index != change.last) {
        index = change.last;
      }
    }
  }
  return index;
}

void World::stop_log() {
  watch_.has_ring = false;
  watch_.is_logging = false;
  watch_.log = WorldLog();
}

void World::drain_touched(std::vector<Signature>& out) {
  watch_.is_tracking_signatures = true;
  out.assign(watch_.touched.begin(), watch_.touched.end());
  watch_.touched.clear();
}

void World::stop_touched() {
  watch_.is_tracking_signatures = false;
  watch_.touched = {};
}

void World::drain_touched_components(std::vector<EntityComponent>& out) {
  watch_.is_tracking_components = true;
  out.assign(watch_.touched_components.begin(), watch_.touched_components.end());
  watch_.touched_components.clear();
}

void World::stop_touched_components() {
  watch_.is_tracking_components = false;
  watch_.touched_components = {};
}

void World::log_record(std::uint32_t slot) {
  watch_.log.append({.kind = WorldChange::Kind::record,
                     .component = WorldChange::kNoComponent,
                     .index = 0,
                     .last = 0,
                     .entity = id_at(slot),
                     .before = records_[slot]});
}

void World::log_component(WorldChange::Kind kind, ComponentId component, EntityId entity,
                          std::uint32_t index, std::uint32_t last) {
  touch(component, entity);
  if (!watch_.is_logging) return;
  watch_.log.append({.kind = kind,
                     .component = component,
                     .index = index,
                     .last = last,
                     .entity = entity,
                     .before = {}});
}

// Records every signature and component as changed, after an assignment.
void World::touch_all() {
  if (watch_.is_tracking_signatures) {
    for (const EntityRecord& record : records_) {
      const bool has_signature = record.is_alive != 0 && !record.signature.is_none();
      if (has_signature) watch_.touched.push_back(record.signature);
    }
  }
  for (std::uint32_t i = 0; i < storages_.size(); ++i) {
    for (const EntityId owner : storages_[i].owners()) touch(ComponentId(i), owner);
  }
}

// Called after an assignment. Versions that queries have cached belong to the earlier state, so
// every version gets a new number. All bookmarks become invalid.
void World::replaced(std::uint64_t version) {
  last_version_ = version;
  for (ComponentStorage& storage : storages_) storage.set_version(++last_version_);
  touch_all();
  watch_.log.forget_all();
}

void World::undo(const WorldChange& change) {
  switch (change.kind) {
    case WorldChange::Kind::record: {
      const std::uint32_t slot = change.entity.slot();
      const bool is_bound_alike = records_[slot].is_alive == change.before.is_alive &&
                                  records_[slot].signature == change.before.signature;
      if (!is_bound_alike) unbind(slot);
      records_[slot] = change.before;
      if (!is_bound_alike) bind(slot);
      return;
    }
    case WorldChange::Kind::new_slot:
      records_.pop_back();
      return;
    case WorldChange::Kind::component_added:
      storages_[change.component.value()].undo_add(change.entity);
      break;
    case WorldChange::Kind::component_removed:
      storages_[change.component.value()].undo_remove(change.entity, change.index);
      break;
  }
  storages_[change.component.value()].set_version(++last_version_);
  touch(change.component, change.entity);
}

}  // namespace muster
