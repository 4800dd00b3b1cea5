// The source keeps the newest values of every entity. So the receiver stores no values for an
// entity that waits for its bundle. When the bundle is loaded, the receiver reads the values from
// the source.
#include "runtime/replication/world_receiver.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/replication/members.h"
#include "runtime/spawn/prefab_instances.h"

namespace muster {

WorldReceiver::WorldReceiver(Spawner& spawner, DeferredSpawner& deferred,
                             ReplicatedCollection& collection, const WorldReceiverOptions& options)
    : spawner_(spawner),
      deferred_(deferred),
      collection_(collection),
      world_(spawner.world()),
      replicated_(deferred, collection, world_, options.registry),
      options_(options),
      link_(world_.component<PrefabLink>("PrefabLink")),
      reloads_(spawner.reload_count()) {}

void WorldReceiver::apply(const WorldSource& source) {
  follow_schema(source);
  apply_spawns_and_despawns(source);
  missing_placed_.clear();
  if (!plan_) return;
  if (source.is_complete()) despawn_missing(source);
  if (std::exchange(reloads_, spawner_.reload_count()) != spawner_.reload_count()) {
    follow_reload(source);
  }
  follow_level(source);
  if (std::exchange(divergences_, source.divergences()) != source.divergences())
    apply_all_again(source);
  for (const ReplicatedChange& change : source.changes()) {
    if (change.kind != ReplicatedChange::Kind::despawned) update(source, change);
  }
}

// Spawns lost entities again and applies all values again, after the local world was found to
// differ from the received values.
void WorldReceiver::apply_all_again(const WorldSource& source) {
  for (std::uint32_t i = 0; i < received_.size(); ++i) {
    const NetworkId id{i};
    if (!is_lost(id)) continue;
    const Received& received = received_[i];
    const ReplicatedApply::Spawn again{.id = reference_to(id),
                                       .type = plan_->type_id(received.type),
                                       .player = player_of(received.seen_by)};
    replicated_.apply({.tick = {}, .despawned = {}, .spawned = {&again, 1}, .updated = {}});
    begin({.kind = ReplicatedChange::Kind::spawned,
           .id = id,
           .type = received.type,
           .seen_by = received.seen_by});
  }
  each([&](EntityReference id, SchemaType, SeenBy) { apply_again(source, id.id(), nullptr); });
}

// Applies all values again after a reload. A reload can rebuild the entities below a root, or
// replace a received value that is equal to the value of the old prefab. The server may never send
// these values again.
void WorldReceiver::follow_reload(const WorldSource& source) {
  each([&](EntityReference reference, SchemaType, SeenBy) {
    const NetworkId id = reference.id();
    Received& received = *find(id);
    if (received.incomplete_index != kComplete) return;  // `complete` applies the values.
    follow_rebuild(world_, spawner_.instances(), received.members);
    apply_again(source, id, nullptr);
  });
}

// A client that joins late loads all placed entities of the level, but receives no despawn for
// placed entities that despawned before. If the source has any data of an entity, the entity is
// kept, because a spawn or a despawn will follow.
void WorldReceiver::despawn_missing(const WorldSource& source) {
  for (std::int32_t id = 0; id < collection_.placed_count(); ++id) {
    const auto index = static_cast<std::size_t>(id);
    const bool is_received = index < received_.size() && received_[index].is_kept;
    if (is_received || collection_.find({id}).is_null()) continue;
    if (!source.holds(EntityReference{id}.id())) missing_placed_.push_back({id});
  }
  if (missing_placed_.empty()) return;
  replicated_.apply({.tick = {}, .despawned = missing_placed_, .spawned = {}, .updated = {}});
}

// A level that was loaded again has new entities under the same ids.
void WorldReceiver::follow_level(const WorldSource& source) {
  for (std::int32_t id = 0; id < collection_.placed_count(); ++id) {
    const EntityReference reference{id};
    const EntityId root = collection_.find(reference);
    if (root.is_null() || !is_lost(reference.id())) continue;
    Received& received = received_[static_cast<std::size_t>(id)];
    world_.set_player(root, player_of(received.seen_by));
    list_members(world_, spawner_.instances(), root, received.members);
    apply_again(source, reference.id(), nullptr);
  }
}

// Makes a new plan for a new map. All entities of the old map were despawned before.
void WorldReceiver::follow_schema(const WorldSource& source) {
  const ReplicationSchema* const schema = source.schema();
  if (schema == nullptr || std::exchange(map_, source.map()) != source.map()) plan_.reset();
  if (schema == nullptr || plan_) return;
  plan_.emplace(*schema, world_);
  notes_.insert(notes_.end(), plan_->notes().begin(), plan_->notes().end());
}

void WorldReceiver::apply_spawns_and_despawns(const WorldSource& source) {
  const std::span<const ReplicatedChange> changes = source.changes();
  despawned_.clear();
  spawned_.clear();
  for (const ReplicatedChange& change : changes) {
    const EntityReference id = reference_to(change.id);
    if (change.kind == ReplicatedChange::Kind::despawned) {
      despawned_.push_back(id);
      if (wire_id(change.id) >= received_.size()) continue;
      received_[wire_id(change.id)].is_kept = false;
      set_incomplete(change.id, false);
    } else if (change.kind == ReplicatedChange::Kind::spawned && plan_) {
      spawned_.push_back({.id = id,
                          .type = plan_->type_id(change.type),
                          .player = player_of(change.seen_by),
                          .existing = adopted(source, change)});
    }
  }
  replicated_.apply({.tick = {}, .despawned = despawned_, .spawned = spawned_, .updated = {}});
  if (!plan_) return;
  for (const ReplicatedChange& change : changes) {
    if (change.kind == ReplicatedChange::Kind::spawned) begin(change);
  }
}

EntityId WorldReceiver::adopted(const WorldSource& source, const ReplicatedChange& change) {
  if (adoption_ == nullptr || change.seen_by != SeenBy::owner) return {};
  values_.assign(plan_->value_count(change.type), 0);
  if (!source.values(change.id, values_)) return {};
  bytes_.clear();
  arrived_.clear();
  for (const ReceivingPlan::Part& part : plan_->parts(change.type)) {
    ReceivedComponent& component = plan_->component(part);
    if (component.member != 0) continue;
    const ByteVector& base = world_.storage(component.component).description().default_value;
    const std::size_t begin = bytes_.size();
    bytes_.insert(bytes_.end(), base.begin(), base.end());
    const std::span<std::byte> value = std::span(bytes_).subspan(begin);
    for (ReceivedField& field : component.fields) {
      if (!is_received(field.receivers, change.seen_by)) continue;
      field.conversion.apply(
          std::span(values_).subspan(part.first_value + field.first_value, field.value_count),
          value);
    }
    arrived_.push_back({.component = component.component, .value = {}});
  }
  Bytes left = bytes_;
  for (ArrivedComponent& one : arrived_) {
    one.value = left.first(world_.storage(one.component).description().size_bytes);
    left = left.subspan(one.value.size());
  }
  return adoption_->adopt(reference_to(change.id), plan_->type_id(change.type), arrived_);
}

void WorldReceiver::begin(const ReplicatedChange& change) {
  const EntityId root = collection_.find(reference_to(change.id));
  if (root.is_null()) return;  // The id was refused.
  const std::size_t index = wire_id(change.id);
  if (index >= received_.size()) received_.resize(index + 1);
  Received& received = received_[index];
  received.type = change.type;
  received.seen_by = change.seen_by;
  received.is_kept = true;
  received.values.clear();
  // A placed entity has no prefab link, and all its components exist already.
  if (!world_.has(link_.id(), root)) {
    list_members(world_, spawner_.instances(), root, received.members);
  } else {
    received.members.assign(1, world_.creation(root));
    set_incomplete(change.id, true);
  }
}

void WorldReceiver::set_incomplete(NetworkId id, bool is_incomplete) {
  std::uint32_t& index = received_[wire_id(id)].incomplete_index;
  if (is_incomplete == (index != kComplete)) return;
  if (is_incomplete) {
    index = static_cast<std::uint32_t>(incomplete_.size());
    incomplete_.push_back(id);
    return;
  }
  // Moves the last element to the index of the removed element.
  incomplete_[index] = incomplete_.back();
  received_[wire_id(incomplete_.back())].incomplete_index = index;
  incomplete_.pop_back();
  received_[wire_id(id)].incomplete_index = kComplete;
}

WorldReceiver::Received* WorldReceiver::find(NetworkId id) {
  return const_cast<Received*>(std::as_const(*this).find(id));
}

const WorldReceiver::Received* WorldReceiver::find(NetworkId id) const {
  const std::size_t index = wire_id(id);
  if (!plan_ || index >= received_.size()) return nullptr;
  const Received& received = received_[index];
  if (received.members.empty()) return nullptr;
  const EntityId root = collection_.find(reference_to(id));
  return !root.is_null() && received.members.front().entity == root ? &received : nullptr;
}

bool WorldReceiver::is_lost(NetworkId id) const {
  const std::size_t index = wire_id(id);
  return plan_ && index < received_.size() && received_[index].is_kept && find(id) == nullptr;
}

void WorldReceiver::update(const WorldSource& source, const ReplicatedChange& change) {
  Received* const received = find(change.id);
  if (received == nullptr) return;
  if (received->seen_by != change.seen_by) {
    received->seen_by = change.seen_by;
    received->values.clear();
    world_.set_player(received->members.front().entity, player_of(change.seen_by));
  }
  if (has_lost_members(*received)) {
    received->members.resize(1);
    received->values.clear();
    set_incomplete(change.id, true);
  }
  if (!read_values(source, change.id, *received)) return;
  list_updates(change.id, *received, nullptr);
  // `received->values` already contains the new values. Therefore an update that is dropped here
  // would never be repeated.
  replicated_.apply_newest(change.tick, updated_);
}

/// Applies the values of an entity again, after the local entity has changed.
void WorldReceiver::apply_again(const WorldSource& source, NetworkId id, const PrefabPlan* prefab) {
  Received* const received = find(id);
  if (received == nullptr) return;
  received->values.clear();
  if (!read_values(source, id, *received)) return;
  list_updates(id, *received, prefab);
  replicated_.apply_again(updated_);
}

/// Reads the values of an entity. Returns false if they are equal to the last applied values.
bool WorldReceiver::read_values(const WorldSource& source, NetworkId id, Received& received) {
  const std::size_t count = plan_->value_count(received.type);
  const bool is_first = received.values.empty();
  if (is_first) received.values.resize(count);
  values_ = received.values;
  if (!source.values(id, values_)) return false;
  if (!is_first && values_ == received.values) return false;
  received.values = values_;
  return true;
}

// True if a restore has undone the loading of the bundle, so that the members were or will be
// spawned again. The result is false if any old member below the root is alive, if no entity is
// below the root now, or if the reload's list of members is unchanged.
bool WorldReceiver::has_lost_members(const Received& received) {
  const auto below = std::span(received.members).subspan(1);
  const auto is_current = [this](const Creation& member) { return world_.is_current(member); };
  if (below.empty() || std::ranges::any_of(below, is_current)) return false;
  const EntityId root = received.members.front().entity;
  if (deferred_.is_waiting(root)) return true;
  list_members(world_, spawner_.instances(), root, listed_);
  return listed_.size() > 1 && !std::ranges::equal(listed_, received.members);
}

/// Lists the updates for the components of an entity and of its existing members, from the received
/// values.
void WorldReceiver::list_updates(NetworkId id, const Received& received, const PrefabPlan* prefab) {
  updated_.clear();
  bytes_.clear();
  for (const ReceivingPlan::Part& part : plan_->parts(received.type)) {
    ReceivedComponent& component = plan_->component(part);
    if (component.member >= received.members.size()) continue;
    const Creation& member = received.members[component.member];
    if (component.member > 0 && !world_.is_current(member)) continue;
    const EntityId entity = member.entity;
    const Bytes base = base_of(entity, component, component.member == 0 ? prefab : nullptr);
    const std::size_t begin = bytes_.size();
    bytes_.insert(bytes_.end(), base.begin(), base.end());
    const std::span<std::byte> value = std::span(bytes_).subspan(begin);
    for (ReceivedField& field : component.fields) {
      if (!is_received(field.receivers, received.seen_by)) continue;
      field.conversion.apply(std::span(received.values)
                                 .subspan(part.first_value + field.first_value, field.value_count),
                             value);
    }
    updated_.push_back({.id = reference_to(id),
                        .component = component.component,
                        .value = {},
                        .below = component.member == 0 ? EntityId() : entity});
  }
  // From here on, `bytes_` is not reallocated, so the updates can refer to it.
  Bytes left = bytes_;
  for (ReplicatedApply::Update& one : updated_) {
    one.value = left.first(world_.storage(one.component).stride_bytes());
    left = left.subspan(one.value.size());
  }
}

/// Returns the value into which received fields are written: the value of the prefab or the current
/// value.
Bytes WorldReceiver::base_of(EntityId entity, const ReceivedComponent& component,
                             const PrefabPlan* prefab) {
  if (prefab != nullptr) {
    const PlannedEntity& root = prefab->entities.front();
    const auto planned =
        std::span(prefab->components).subspan(root.first_component, root.component_count);
    const auto found = std::ranges::find(planned, component.component, &PlannedComponent::id);
    if (found != planned.end()) {
      return Bytes(prefab->data).subspan(found->offset_bytes, found->size_bytes);
    }
  }
  const Bytes present = std::as_const(world_).bytes(component.component, entity);
  return present.empty() ? Bytes(world_.storage(component.component).description().default_value)
                         : present;
}

void WorldReceiver::complete(const WorldSource& source) {
  const auto try_complete = [&](NetworkId id) {
    Received* const received = find(id);
    if (received == nullptr) return true;
    const EntityId root = received->members.front().entity;
    if (deferred_.is_waiting(root) || deferred_.is_placeholder(root)) return false;
    list_members(world_, spawner_.instances(), root, received->members);
    apply_again(source, id, prefab_of(root));
    return true;
  };
  for (std::size_t i = 0; i < incomplete_.size();) {
    const NetworkId id = incomplete_[i];
    if (try_complete(id)) {
      set_incomplete(id, false);
    } else {
      ++i;
    }
  }
}

const PrefabPlan* WorldReceiver::prefab_of(EntityId root) {
  const PrefabLink* const link = std::as_const(world_).get(link_, root);
  if (link == nullptr) return nullptr;
  const Guid asset = Guid::from_bytes(std::as_bytes(std::span(link->asset.guid)));
  const Result<const PrefabPlan*> plan = spawner_.prepare(asset);
  return plan ? plan.value() : nullptr;
}

EntityFound WorldReceiver::values(NetworkId id, std::span<std::int64_t> values,
                                  SchemaComponent& lacking) const {
  const Received* const received = find(id);
  if (received == nullptr) return is_lost(id) ? EntityFound::missing : EntityFound::not_kept;
  for (const ReceivingPlan::Part& part : plan_->parts(received->type)) {
    const ReceivedComponent& component = plan_->component(part);
    if (component.member >= received->members.size()) continue;
    const Creation& member = received->members[component.member];
    // The local version of the prefab may not have this entity.
    if (component.member > 0 && !world_.is_current(member)) continue;
    const EntityId entity = member.entity;
    const Bytes value = std::as_const(world_).bytes(component.component, entity);
    if (value.empty()) {
      lacking = component.sent;
      return EntityFound::lacks_component;
    }
    for (const ReceivedField& field : component.fields) {
      if (!is_received(field.receivers, received->seen_by)) continue;
      (void)field.conversion.reverse(
          value, values.subspan(part.first_value + field.first_value, field.value_count));
    }
  }
  return EntityFound::here;
}

void WorldReceiver::set_player(PlayerId player) {
  options_.player = player;
  each([&](EntityReference id, SchemaType, SeenBy seen_by) {
    world_.set_player(collection_.find(id), player_of(seen_by));
  });
}

std::vector<std::string> WorldReceiver::drain_notes() { return std::exchange(notes_, {}); }

}  // namespace muster
