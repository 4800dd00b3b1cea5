// The reserve is refilled when a state of the server arrives, because the predicted world is copied
// from the received world only at that time. The reserve grows if more than half of it was used
// between two states.
#include "runtime/session/predicted_spawns.h"

#include <algorithm>

namespace muster {

void PredictedSpawns::refill() {
  if (spare_.size() < spare_wanted_ / 2) spare_wanted_ = std::min(spare_wanted_ * 2, kSpareMax);
  while (spare_.size() < spare_wanted_) spare_.push_back(source_.received.create());
}

PredictedSpawns::Entry* PredictedSpawns::find(const PredictedKey& key) {
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  return found != entries_.end() ? &*found : nullptr;
}

PredictedSpawns::Entry* PredictedSpawns::find(EntityId entity) {
  const auto found = std::ranges::find(entries_, entity, &Entry::entity);
  return found != entries_.end() ? &*found : nullptr;
}

PredictedSpawns::Entry* PredictedSpawns::make(const PredictedKey& key, TypeId type) {
  if (spare_.empty()) return nullptr;
  const EntityId entity = spare_.back();
  spare_.pop_back();
  source_.received.set_player(entity, player_);
  source_.deferred.spawn_type_at(entity, source_.content->registry(), type);
  made_.push_back(entity);
  entries_.push_back({.key = key, .type = type, .entity = entity});
  return &entries_.back();
}

const PrefabPlan* PredictedSpawns::plan(TypeId type) {
  const ResolvedType* const resolved =
      source_.spawner.store().resolve(source_.content->registry(), type);
  if (resolved == nullptr) return nullptr;
  const Result<const PrefabPlan*> plan = source_.spawner.prepare(resolved->guid);
  return plan ? plan.value() : nullptr;
}

void PredictedSpawns::end(Entry& entry, SpawnEnd why) {
  entry.state = State::ended;
  entry.end = why;
  ended_.push_back({.entity = entry.entity, .end = why, .has_despawned = entry.has_despawned});
}

void PredictedSpawns::forget_before(CommandNumber oldest) {
  std::erase_if(entries_, [&](const Entry& entry) {
    return entry.state != State::predicted && command_steps(entry.key.command, oldest) > 0;
  });
}

bool PredictedSpawns::is_predicted(EntityId entity) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) {
    return entry.entity == entity && entry.state == State::predicted;
  });
}

EntityId PredictedSpawns::adopt(EntityReference /*id*/, TypeId type,
                                std::span<const ArrivedComponent> values) {
  const std::optional<ComponentId> replicated = source_.received.find_component("ReplicatedEntity");
  const auto found = std::ranges::find_if(
      values, [&](const ArrivedComponent& one) { return one.component == replicated; });
  Replicated arrived;
  if (found != values.end() && found->value.size() == sizeof arrived) {
    std::ranges::copy(found->value, std::as_writable_bytes(std::span(&arrived, 1)).begin());
  }
  const PredictedKey key =
      PredictedKey::from(CommandNumber(arrived.spawn_command), arrived.spawn_order);
  Entry* entry = key.is_none() ? nullptr : find(key);
  if (entry != nullptr && (entry->type != type || entry->state != State::predicted)) {
    entry = nullptr;
  }
  if (entry == nullptr) entry = match(type, values, CommandNumber(arrived.command_number));
  if (entry == nullptr && !key.is_none()) entry = match_late(type, key);
  if (entry == nullptr) return {};
  entry->state = State::confirmed;
  ++confirmed_count_;
  return entry->entity;
}

PredictedSpawns::Entry* PredictedSpawns::match_late(TypeId type, const PredictedKey& key) {
  Entry* oldest = nullptr;
  for (Entry& entry : entries_) {
    if (entry.type != type || entry.state != State::predicted) continue;
    const std::int32_t late = command_steps(entry.key.command, key.command);
    if (entry.key.system != key.system || late <= 0 || late > kLateCommandsMax) continue;
    const bool is_older =
        oldest == nullptr || command_steps(entry.key.command, oldest->key.command) > 0 ||
        (entry.key.command == oldest->key.command && entry.key.order < oldest->key.order);
    if (is_older) oldest = &entry;
  }
  return oldest;
}

PredictedSpawns::Entry* PredictedSpawns::match(TypeId type,
                                               std::span<const ArrivedComponent> values,
                                               CommandNumber command) {
  for (const SpawnMatch& rule : source_.content->game().overrides.spawn_matches()) {
    const std::optional<ComponentId> id = source_.received.find_component(rule.component);
    const auto confirmed = std::ranges::find_if(
        values, [&](const ArrivedComponent& one) { return one.component == id; });
    if (confirmed == values.end()) continue;
    for (Entry& entry : entries_) {
      if (entry.type != type || entry.state != State::predicted) continue;
      Bytes predicted = past_ ? past_(entry.entity, *id, command) : Bytes();
      if (predicted.empty()) predicted = std::as_const(source_.received).bytes(*id, entry.entity);
      if (predicted.size() == confirmed->value.size() &&
          rule.is_same(predicted, confirmed->value)) {
        return &entry;
      }
    }
  }
  return nullptr;
}

}  // namespace muster
