#include "tests/bench/sync_record.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/world/math.h"
#include "tests/bench/sync_game.h"

namespace muster {

void SyncRecord::note(ServerMembers& server, Tick tick) {
  schema_ = &server.types->schema;
  State& state = states_[tick.value() % kTicks];
  state.tick = tick;
  std::size_t count = 0;
  const auto transforms = server.world.component<Transform>("Transform");
  const auto characters = server.world.component<Character>("Character");
  for (const ReplicatedEntity& replicated : server.replication->world().entities()) {
    if (state.entities.size() <= count) state.entities.emplace_back();
    Entity& entity = state.entities[count];
    entity.id = replicated.id;
    entity.type = replicated.options.type;
    entity.owner = replicated.options.owner;
    entity.values.assign(schema_->value_count(entity.type), 0);
    const EntityReference reference = reference_to(replicated.id);
    if (!server.sender->values(reference, entity.values)) continue;
    entity.position.reset();
    const EntityId id = server.collection.find(reference);
    const Transform* const at = server.world.get(transforms, id);
    if (at != nullptr && server.world.get(characters, id) != nullptr)
      entity.position = at->position;
    ++count;
  }
  state.entities.resize(count);
  std::ranges::sort(state.entities, {}, &Entity::id);
  count_commands(server);
}

void SyncRecord::count_commands(const ServerMembers& server) {
  starved_ = 0;
  playing_ = 0;
  for (const auto& player : server.players) {
    const CommandCounters& counters = player->commands.counters();
    Player& known = players_[player->id];
    const std::uint64_t arrived = counters.received + counters.late;
    if (known.arrived > 0) {
      ++playing_;
      starved_ += counters.missing - known.missing;
    }
    commands_ += arrived - std::min(known.arrived, arrived);
    known = {.missing = counters.missing, .arrived = arrived};
  }
}

const SyncRecord::Entity* SyncRecord::find(NetworkId id, std::uint32_t tick) const {
  const State& state = states_[tick % kTicks];
  if (state.tick != Tick(tick)) return nullptr;
  const auto found = std::ranges::lower_bound(state.entities, id, {}, &Entity::id);
  const bool is_here = found != state.entities.end() && found->id == id;
  return is_here ? &*found : nullptr;
}

std::optional<Vec3> SyncRecord::position(std::int32_t id, double tick) const {
  if (tick < 1) return std::nullopt;
  const double whole = std::floor(tick);
  const Entity* const before = find(EntityReference{id}.id(), static_cast<std::uint32_t>(whole));
  const Entity* const after =
      find(EntityReference{id}.id(), static_cast<std::uint32_t>(std::ceil(tick)));
  if (before == nullptr || after == nullptr || !before->position || !after->position) {
    return std::nullopt;
  }
  const auto share = static_cast<float>(tick - whole);
  return *before->position + (*after->position - *before->position) * share;
}

/// The first differing value that the client may receive; empty if all are equal.
std::string SyncRecord::first_difference(const Entity& there, SeenBy seen_by,
                                         std::span<const std::int64_t> here) const {
  std::size_t at = 0;
  for (const SchemaComponent component : schema_->type(there.type).components) {
    for (const FieldSchema& field : schema_->component(component).fields) {
      for (std::uint32_t i = 0; i < field.value_count; ++i, ++at) {
        if (here[at] == there.values[at] || !is_received(field.receivers, seen_by)) continue;
        return fmt::format("{}.{}: server {}, client {}", schema_->component(component).name,
                           field.name, there.values[at], here[at]);
      }
    }
  }
  return {};
}

void SyncRecord::compare(ClientMembers& client, Tick tick, SeenTicks& seen,
                         SyncResult& result) const {
  const State& state = states_[tick.value() % kTicks];
  if (state.tick != tick) {
    ++result.states_unknown;
    return;
  }
  std::vector<std::int64_t> here;
  for (const Entity& entity : state.entities) {
    here = entity.values;
    SchemaComponent lacking{};
    const EntityFound found = client.receiver.values(entity.id, here, lacking);
    if (!client.replication->has(entity.id) || found != EntityFound::here) continue;
    const SeenBy seen_by = entity.owner == client.player ? SeenBy::owner : SeenBy::others;
    ++result.states_compared;
    const std::string difference = first_difference(entity, seen_by, here);
    std::uint32_t& last = seen[entity.id];
    std::uint32_t equal = difference.empty() ? tick.value() : 0;
    // A deferred entity has the state of an earlier tick, but never of a tick before its last
    // state.
    for (std::uint32_t one = tick.value() - 1; equal == 0 && one >= std::max(last, 1U); --one) {
      const Entity* const there = find(entity.id, one);
      if (there == nullptr || there->type != entity.type) break;
      if (first_difference(*there, seen_by, here).empty()) equal = one;
    }
    if (equal != 0) {
      last = equal;
      if (equal != tick.value()) ++result.states_deferred;
    } else if (result.difference.empty()) {
      result.difference =
          fmt::format("tick {}, entity {}, {}", tick.value(), wire_id(entity.id), difference);
    }
  }
}

}  // namespace muster
