#include "runtime/replication/world_sender.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "runtime/replication/members.h"
#include "runtime/replication/wire_schema.h"
#include "runtime/spawn/prefab_instances.h"

namespace muster {
namespace {

bool is_same(const WorldPosition& left, const WorldPosition& right) {
  return left.x == right.x && left.y == right.y && left.z == right.z;
}

}  // namespace

WorldSender::WorldSender(const ReplicatedTypes& types, const World& world,
                         const ReplicatedCollection& collection, const WorldSenderOptions& options)
    : types_(types), world_(world), collection_(collection) {
  std::size_t maximum = 0;
  for (std::uint16_t i = 0; i < types.schema.types.size(); ++i) {
    maximum = std::max(maximum, types.schema.value_count(SchemaType{i}));
  }
  values_.resize(maximum);
  const std::optional<ComponentId> component = world.find_component(options.position_component);
  if (!component) return;
  const FieldDescription* const field =
      world.storage(*component).description().find(options.position_field);
  if (field == nullptr || field->type != FieldType::vec3) return;
  position_component_ = component;
  position_offset_bytes_ = field->offset_bytes;
}

SendVerdict WorldSender::add(EntityReference id, const SentEntityOptions& options,
                             std::span<const Creation> members) {
  const auto type = types_.schema.find_type(options.type);
  if (!type) return SendVerdict::unknown_type;
  const EntityId root = collection_.find(id);
  if (root.is_null()) return SendVerdict::unknown_id;
  const auto at = sent_.find(id.network_id);
  if (at != sent_.end() && at->second.root == root) return SendVerdict::sent_already;
  // A replicated world has only one entity per id in a tick. So if another entity had the id in
  // this tick, the despawn of that entity is written now, and this spawn is written in the next
  // tick.
  Sent sent{.id = id, .root = root, .type = *type, .options = options, .members = {}, .last = {}};
  if (members.empty()) {
    list_members(world_, instances_, root, sent.members);
  } else {
    sent.members.assign(members.begin(), members.end());
    follow_rebuild(world_, instances_, sent.members);
  }
  for (const ReplicatedComponent& one : types_.layouts[schema_index(*type)]) {
    const ByteVector& value = world_.storage(one.component).description().default_value;
    sent.last.insert(sent.last.end(), value.begin(), value.end());
  }
  sent_.emplace(id.network_id, std::move(sent));
  return SendVerdict::accepted;
}

const WorldSender::Sent* WorldSender::find(EntityReference id) const {
  const auto after = sent_.upper_bound(id.network_id);
  if (after == sent_.begin()) return nullptr;
  const Sent& last = std::prev(after)->second;
  return last.id == id ? &last : nullptr;
}

void WorldSender::set_options(EntityReference id, const SentEntityOptions& options) {
  Sent* const sent = find(id);
  if (sent == nullptr) return;
  const TypeId type = sent->options.type;
  sent->options = options;
  sent->options.type = type;
  sent->has_new_options = true;
}

void WorldSender::set_paused(EntityReference id, bool is_paused) {
  if (Sent* const sent = find(id)) sent->is_paused = is_paused;
}

bool WorldSender::is_gone(const Sent& sent) const {
  return collection_.find(sent.id) != sent.root || world_.is_despawning(sent.root);
}

void WorldSender::write(ReplicatedWorld& out) {
  EntityReference despawned;
  bool has_gone = false;
  for (auto& [network_id, sent] : sent_) {
    if (is_gone(sent)) {
      has_gone = true;
      if (!sent.is_written) continue;
      out.despawn(sent.id.id());
      despawned = sent.id;
      ++counters_.despawned;
    } else if (despawned != sent.id) {
      if (!sent.is_written || !sent.is_paused) {
        write_entity(out, sent);
      } else if (sent.has_new_options) {
        write_options(out, sent);
      }
    }
  }
  if (has_gone) std::erase_if(sent_, [&](const auto& sent) { return is_gone(sent.second); });
}

void WorldSender::write_entity(ReplicatedWorld& out, Sent& sent) {
  ++counters_.compared;
  const NetworkId id = sent.id.id();
  const bool has_changed = read_changes(sent);
  const WorldPosition position = position_of(sent);
  const PlayerId owner = world_.player(sent.root);
  const std::span<std::int64_t> values =
      std::span(values_).first(types_.schema.value_count(sent.type));
  if (has_changed || !sent.is_written) {
    quantise_all(sent, values);
    ++counters_.quantised;
  }
  if (!sent.is_written) {
    out.spawn(id,
              {.type = sent.type,
               .owner = owner,
               .relevance = sent.options.relevance,
               .team = sent.options.team,
               .update_class = sent.options.update_class,
               .position = position},
              values);
    ++counters_.spawned;
  } else {
    if (has_changed) out.set(id, values);
    if (!is_same(position, sent.position)) out.set_position(id, position);
    write_options(out, sent);
  }
  sent.has_new_options = false;
  sent.is_written = true;
  sent.position = position;
  sent.owner = owner;
}

/// Writes the options of an entity if they have changed.
void WorldSender::write_options(ReplicatedWorld& out, Sent& sent) {
  const NetworkId id = sent.id.id();
  const PlayerId owner = world_.player(sent.root);
  if (owner != sent.owner) out.set_owner(id, owner);
  sent.owner = owner;
  if (!std::exchange(sent.has_new_options, false)) return;
  out.set_interest(id, sent.options.relevance, sent.options.team, sent.options.update_class);
}

// A member that no longer exists keeps its last value.
bool WorldSender::read_changes(Sent& sent) {
  bool has_changed = false;
  std::byte* last = sent.last.data();
  for (const ReplicatedComponent& one : types_.layouts[schema_index(sent.type)]) {
    const ComponentStorage& storage = world_.storage(one.component);
    // Finds members by id, so that members that were spawned again after a restore are also sent.
    const Bytes now =
        one.member < sent.members.size() ? storage.find(sent.members[one.member].entity) : Bytes();
    if (!now.empty() && std::memcmp(last, now.data(), now.size()) != 0) {
      std::memcpy(last, now.data(), now.size());
      has_changed = true;
    }
    last += storage.stride_bytes();
  }
  return has_changed;
}

bool WorldSender::values(EntityReference id, std::span<std::int64_t> values) const {
  const Sent* const sent = find(id);
  if (sent == nullptr || !sent->is_written) return false;
  quantise_all(*sent, values);
  std::size_t at = 0;
  for (const SchemaComponent component : types_.schema.type(sent->type).components) {
    for (const FieldSchema& field : types_.schema.component(component).fields) {
      for (std::uint32_t i = 0; i < field.value_count; ++i, ++at) {
        values[at] = bring_into_range(field, i, values[at]);
      }
    }
  }
  return true;
}

/// Does not clamp values to their ranges, because the replicated world counts and clamps them.
void WorldSender::quantise_all(const Sent& sent, std::span<std::int64_t> values) const {
  Bytes left = sent.last;
  for (const ReplicatedComponent& one : types_.layouts[schema_index(sent.type)]) {
    const ComponentStorage& storage = world_.storage(one.component);
    to_wire_unbounded(storage.description(), left.first(storage.stride_bytes()),
                      values.subspan(one.first_value, one.value_count));
    left = left.subspan(storage.stride_bytes());
  }
}

WorldPosition WorldSender::position_of(const Sent& sent) const {
  if (!position_component_) return {};
  const Bytes value = world_.bytes(*position_component_, sent.root);
  if (value.empty()) return sent.position;
  Vec3 position;
  std::memcpy(&position, value.data() + position_offset_bytes_, sizeof position);
  return {position.x, position.y, position.z};
}

void WorldSender::follow_reload(const PrefabInstances& instances) {
  instances_ = &instances;
  for (auto& [network_id, sent] : sent_) {
    if (!is_gone(sent)) follow_rebuild(world_, instances_, sent.members);
  }
}

void WorldSender::restart() {
  for (auto& [network_id, sent] : sent_) sent.is_written = false;
}

}  // namespace muster
