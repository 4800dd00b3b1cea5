// Structural changes wait until the running system has ended, because a system iterates over the
// arrays of components.
#include "runtime/session/simulation.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/replication/members.h"
#include "runtime/world/structure_watch.h"

namespace muster {

Simulation::Simulation(const Game& game, World& world, const ReplicatedCollection& ids,
                       const EntitySource* source, PlayerId machine, ProblemLog& problems,
                       std::uint64_t seed)
    : game_(game),
      world_(world),
      ids_(ids),
      machine_(machine),
      problems_(problems),
      seed_(seed),
      replicated_(world_.component<Replicated>("ReplicatedEntity")),
      walk_(world_) {
  if (source != nullptr) source_.emplace(*source);
  for (const ComponentDescription& command : game_.commands.types) {
    default_commands_.push_back(command.default_value);
  }
}

void Simulation::run(const Systems& systems, std::uint32_t first_index) {
  for (const session_detail::SystemEntry& system : systems.entries) {
    is_running_ = true;
    system_ = first_index;
    counts_.clear();
    current_ = {};
    const float seconds = 1.0F / static_cast<float>(game_.ticks_per_second);
    if (system.components.empty()) reach({});
    SystemContext context(*this, tick_, seconds, first_index++);
    system.run(context);
    is_running_ = false;
    current_ = {};
    if (hit_tests_ != nullptr) hit_tests_->release();
    apply_pending();
    if (after_system_) after_system_(system_);
  }
}

void Simulation::run_tick(Tick tick) {
  tick_ = tick;
  if (!is_paused_) {
    run(game_.systems, 0);
    run(game_.server_systems, static_cast<std::uint32_t>(game_.systems.entries.size()));
  }
  {
    const StructureWatch::Pause pause(structure_watch_);
    world_.process_despawns();
  }
  joined_.clear();
  left_.clear();
}

void Simulation::predict_tick(Tick tick, const std::vector<EntityId>& entities) {
  tick_ = tick;
  subset_ = &entities;
  run(game_.systems, 0);
  subset_ = nullptr;
  world_.process_despawns();
}

void Simulation::visit(std::span<const session_detail::VisitedComponent> components, void* visitor,
                       session_detail::VisitRun call, bool is_all) {
  const auto locate = [this](ComponentId id, std::uint32_t index) {
    const ComponentStorage& storage = world_.storage(id);
    return world_.bytes(id, storage.owners()[index]).data();
  };
  if (!current_.is_null()) reach_any();
  ++walk_depth_;
  // During a nested walk, the system still runs for the outer entity.
  const EntityId outer = current_;
  EntityId inner;
  EntityId* const current = outer.is_null() && is_running_ && !is_all ? &current_ : &inner;
  const bool is_known = subset_ != nullptr && !is_all
                            ? walk_.visit_some(*subset_, components, visitor, call, locate, current)
                            : walk_.visit(components, visitor, call, locate, current);
  if (!is_known) {
    for (const session_detail::VisitedComponent& one : components) {
      (void)component_id(one.name, one.bytes);  // Reports an unknown component.
    }
  }
  current_ = outer;
  --walk_depth_;
  if (!must_wait()) apply_pending();
}

void Simulation::note_command(PlayerId player, CommandNumber number) {
  for (const SpawnedEntity& one : spawned_) {
    if (one.entity.is_null() || world_.player(one.entity) != player) continue;
    if (Replicated* const replicated = world_.get(replicated_, one.entity)) {
      replicated->command_number = number.value();
    }
  }
}

EntityId Simulation::spawn(EntityType type, const SpawnOptions& options,
                           std::span<const session_detail::NamedValue> values) {
  const EntityId entity = make(type, options, values);
  if (!must_wait()) apply_pending();
  return entity;
}

EntityId Simulation::make(EntityType type, const SpawnOptions& options,
                          std::span<const session_detail::NamedValue> values) {
  if (!source_) return foresee(type, options, values);
  const PredictedKey key = next_key(options.owner, true);
  const auto report = [&](SpawnRefusal refusal) {
    if (spawn_report_ && !key.is_none()) spawn_report_(options.owner, key, refusal);
  };
  const auto refuse = [&](std::string text, SpawnRefusal refusal = SpawnRefusal::unknown_type) {
    report(refusal);
    problems_.add({.kind = ProblemKind::unknown_type,
                   .tick = tick_,
                   .player = options.owner,
                   .text = std::move(text)});
    return EntityId();
  };
  const Result<TypeId> id = source_->content->type(type);
  if (!id) return refuse(id.error().message);
  const ResolvedType* const resolved =
      source_->spawner.store().resolve(source_->content->registry(), id.value());
  if (resolved == nullptr) return refuse("the prefab of the type is in no bundle of this build");
  const Result<const PrefabPlan*> plan = source_->spawner.prepare(resolved->guid);
  if (!plan) return refuse(plan.error().message);
  const EntityReference reference = source_->collection.lowest_free();
  if (reference.network_id < 0) {
    return refuse("all " + std::to_string(kMaxNetworkIds) + " network ids are in use",
                  SpawnRefusal::no_network_id);
  }
  const StructureWatch::Pause pause(structure_watch_);
  const EntityId entity = world_.create({.player = options.owner});
  (void)source_->collection.add(reference, entity);  // The id was free, and the entity is alive.
  pending_.push_back({.kind = Pending::Kind::fill, .entity = entity, .plan = plan.value()});
  for (const session_detail::NamedValue& value : values) {
    queue_value(Pending::Kind::value, entity, value);
  }
  note_spawned({.entity = entity,
                .reference = reference,
                .type = id.value(),
                .options = options,
                .key = key});
  report(SpawnRefusal::none);
  return entity;
}

EntityId Simulation::foresee(EntityType type, const SpawnOptions& options,
                             std::span<const session_detail::NamedValue> values) {
  if (forecast_ == nullptr || !is_running_ || options.owner != machine_) return {};
  reach({});
  const PredictedKey key = next_key(options.owner, true);
  bool is_new = false;
  const EntityId entity = key.is_none() ? EntityId() : forecast_->spawn(key, type, is_new);
  if (entity.is_null() || !is_new) return entity;
  pending_.push_back({.kind = Pending::Kind::fill, .entity = entity});
  for (const session_detail::NamedValue& value : values) {
    queue_value(Pending::Kind::value, entity, value);
  }
  return entity;
}

PredictedKey Simulation::next_key(PlayerId player, bool is_spawn) {
  const bool is_shared = is_running_ && system_ < game_.systems.entries.size();
  if (!is_shared || player == PlayerId::none || !command_number_) return {};
  auto count = std::ranges::find(counts_, player, &Count::player);
  if (count == counts_.end()) count = counts_.insert(count, {.player = player});
  const std::uint32_t order = is_spawn ? count->spawns++ : count->cues++;
  if (order > PredictedKey::kPartMax || system_ > PredictedKey::kPartMax) return {};
  return {.command = command_number_(player),
          .system = static_cast<std::uint8_t>(system_),
          .order = static_cast<std::uint8_t>(order)};
}

void Simulation::cue(Cue cue) {
  if (!cues_) return;
  reach({});
  // The player is the owner of the entity that the system runs for. If there is no such entity, the
  // player is the owner of the cause.
  const EntityId actor = current_.is_null() ? cue.options.cause : current_;
  if (cue.options.cause.is_null()) cue.options.cause = current_;
  cue.player = world_.player(actor);
  cue.key = next_key(cue.player, false);
  const bool is_foreseen = cue.player == machine_ && !cue.key.is_none();
  if (is_server() || is_foreseen) cues_(cue);
}

EntityId Simulation::find(EntityReference reference) const {
  const EntityId found = forecast_ != nullptr ? forecast_->find(reference) : EntityId();
  return found.is_null() ? ids_.find(reference) : found;
}

void Simulation::adopt(EntityId entity, EntityReference reference, TypeId type) {
  if (Replicated* const replicated = world_.get(replicated_, entity)) {
    replicated->id = reference.network_id;
  }
  SpawnedEntity spawned{.entity = entity, .reference = reference, .type = type, .options = {}};
  if (is_server()) list_members(world_, nullptr, entity, spawned.members);
  note_spawned(std::move(spawned));
}

void Simulation::note_members(const PrefabPlan& plan, std::vector<Creation>& members) const {
  const std::span<const EntityId> made = source_->spawner.last_made();
  for (const std::uint32_t planned : members_of(plan)) {
    members.push_back(world_.creation(made[planned]));
  }
}

void Simulation::note_spawned(SpawnedEntity spawned) {
  const std::uint32_t slot = spawned.entity.slot();
  if (spawned_.size() <= slot) spawned_.resize(std::size_t{slot} + 1);
  unsent_.push_back(spawned.entity);
  spawned_[slot] = std::move(spawned);
}

std::optional<ComponentId> Simulation::component_id(std::string_view name, std::size_t bytes) {
  const std::optional<ComponentId> id = walk_.find(name);
  if (id && world_.storage(*id).description().size_bytes == bytes) return id;
  problems_.add(unlisted_component(name, id.has_value(), tick_));
  return std::nullopt;
}

void Simulation::queue_value(Pending::Kind kind, EntityId entity,
                             const session_detail::NamedValue& value) {
  const std::optional<ComponentId> id = component_id(value.name, value.bytes.size());
  if (!id) return;
  pending_.push_back({.kind = kind,
                      .entity = entity,
                      .component = *id,
                      .first_byte = pending_bytes_.size(),
                      .byte_count = value.bytes.size()});
  pending_bytes_.insert(pending_bytes_.end(), value.bytes.begin(), value.bytes.end());
}

void Simulation::apply_pending() {
  if (pending_.empty()) return;
  const StructureWatch::Pause pause(structure_watch_);
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const Pending pending = pending_[i];
    if (!world_.is_alive(pending.entity)) continue;
    switch (pending.kind) {
      case Pending::Kind::fill: {
        if (!source_) {
          forecast_->fill(pending.entity);
          break;
        }
        source_->spawner.instantiate_at(*pending.plan, pending.entity);
        const SpawnedEntity* const spawned = find_spawned(pending.entity);
        if (spawned != nullptr) {
          note_members(*pending.plan, spawned_[pending.entity.slot()].members);
        }
        if (Replicated* const replicated = world_.get(replicated_, pending.entity)) {
          replicated->id = spawned != nullptr ? spawned->reference.network_id : -1;
          replicated->predicting_player_id = world_.player(pending.entity);
          if (spawned != nullptr && !spawned->key.is_none()) {
            replicated->spawn_command = spawned->key.command.value();
            replicated->spawn_order = spawned->key.system_and_order();
          }
        }
        break;
      }
      case Pending::Kind::value:
      case Pending::Kind::add:
        put_value(pending);
        break;
      case Pending::Kind::remove:
        world_.remove(pending.component, pending.entity);
        break;
    }
  }
  pending_.clear();
  pending_bytes_.clear();
}

void Simulation::put_value(const Pending& pending) {
  const Bytes value = Bytes(pending_bytes_).subspan(pending.first_byte, pending.byte_count);
  const std::span<std::byte> bytes = world_.bytes(pending.component, pending.entity);
  if (!bytes.empty()) {
    if (pending.kind == Pending::Kind::value) std::ranges::copy(value, bytes.begin());
  } else if (pending.kind == Pending::Kind::add ||
             may_change(pending.entity, pending.component, "add")) {
    world_.add(pending.component, pending.entity, value);
  }
}

const SpawnedEntity* Simulation::find_spawned(EntityId entity) const {
  if (entity.slot() >= spawned_.size() || !world_.is_alive(entity)) return nullptr;
  const SpawnedEntity& found = spawned_[entity.slot()];
  return found.entity == entity ? &found : nullptr;
}

void Simulation::despawn(EntityId entity) {
  reach({});
  reach(entity);
  EntityId root = entity;
  while (find_spawned(root) == nullptr && !world_.parent(root).is_null())
    root = world_.parent(root);
  if (root == entity || find_spawned(root) == nullptr) {
    if (world_.request_despawn(entity) && forecast_ != nullptr) forecast_->despawned(entity);
    return;
  }
  problems_.add(
      {.kind = ProblemKind::unsupported_change,
       .tick = tick_,
       .entity = entity,
       .text = "cannot despawn a child of a replicated entity: despawn the root instead"});
}

void Simulation::release_all_of(PlayerId player) {
  for (SpawnedEntity& one : spawned_) {
    if (one.entity.is_null() || world_.player(one.entity) != player || !one.options.keep) continue;
    one.options.owner = PlayerId::none;
    world_.set_player(one.entity, PlayerId::none);
  }
}

void Simulation::despawn_all_of(PlayerId player) {
  if (player == PlayerId::none) return;
  for (const SpawnedEntity& one : spawned_) {
    if (one.entity.is_null() || world_.player(one.entity) != player) continue;
    if (one.options.keep) continue;
    world_.request_despawn(one.entity);
  }
}

void Simulation::despawn_all() {
  for (const SpawnedEntity& one : spawned_) {
    if (world_.is_alive(one.entity)) world_.request_despawn(one.entity);
  }
}

void Simulation::resend_all() {
  clear_changes();
  for (const SpawnedEntity& one : spawned_) {
    if (world_.is_alive(one.entity)) unsent_.push_back(one.entity);
  }
}

bool Simulation::set_options(EntityId entity, const SpawnOptions& options) {
  if (find_spawned(entity) == nullptr) return false;
  spawned_[entity.slot()].options = options;
  world_.set_player(entity, options.owner);
  changed_options_.push_back(entity);
  return true;
}

const SpawnOptions* Simulation::options(EntityId entity) const {
  const SpawnedEntity* const found = find_spawned(entity);
  return found != nullptr ? &found->options : nullptr;
}

std::byte* Simulation::find_component(std::string_view name, EntityId entity, std::size_t bytes) {
  reach(entity);
  const std::optional<ComponentId> id = component_id(name, bytes);
  if (!id) return nullptr;
  const std::span<std::byte> found = world_.bytes(*id, entity);
  return found.empty() ? nullptr : found.data();
}

bool Simulation::may_change(EntityId entity, ComponentId component, std::string_view verb) {
  // The children of a prefab belong to the replicated root entity.
  EntityId root = entity;
  while (find_spawned(root) == nullptr && !world_.parent(root).is_null())
    root = world_.parent(root);
  if (find_spawned(root) == nullptr) return true;
  const ComponentDescription& description = world_.storage(component).description();
  problems_.add(
      {.kind = ProblemKind::unsupported_change,
       .tick = tick_,
       .entity = entity,
       .component = description.name,
       .text = "cannot " + std::string(verb) +
               " a component of a replicated entity: its "
               "prefab decides which components it has; put the component into the prefab"});
  return false;
}

bool Simulation::add_component(EntityId entity, const session_detail::NamedValue& value) {
  const std::optional<ComponentId> id = component_id(value.name, value.bytes.size());
  if (!id || !world_.is_alive(entity) || world_.has(*id, entity)) return false;
  if (!may_change(entity, *id, "add")) return false;
  queue_value(Pending::Kind::add, entity, value);
  if (!must_wait()) apply_pending();
  return true;
}

bool Simulation::remove_component(EntityId entity, std::string_view name) {
  const std::optional<ComponentId> id = walk_.find(name);
  if (!id) problems_.add(unlisted_component(name, false, tick_));
  if (!id || !world_.has(*id, entity)) return false;
  if (!may_change(entity, *id, "remove")) return false;
  pending_.push_back({.kind = Pending::Kind::remove, .entity = entity, .component = *id});
  if (!must_wait()) apply_pending();
  return true;
}

EntityReference Simulation::reference(EntityId entity) const {
  const SpawnedEntity* const found = find_spawned(entity);
  if (found != nullptr) return found->reference;
  return forecast_ != nullptr ? forecast_->reference(entity) : EntityReference();
}

EntityId Simulation::owned(PlayerId player, EntityType type) {
  const Result<TypeId> id = source_->content->type(type);
  if (!id) return {};
  for (const SpawnedEntity& one : spawned_) {
    if (one.type == id.value() && !one.entity.is_null() && world_.is_alive(one.entity) &&
        world_.player(one.entity) == player) {
      return one.entity;
    }
  }
  return {};
}

void Simulation::clear_changes() {
  unsent_.clear();
  changed_options_.clear();
}

Bytes Simulation::command_bytes(PlayerId player, std::string_view name, std::size_t bytes) {
  const auto found = std::ranges::find(game_.commands.types, name, &ComponentDescription::name);
  if (found == game_.commands.types.end() || found->size_bytes != bytes) {
    std::fprintf(stderr,
                 "muster: a system uses the command '%.*s', which Game::commands does not list\n",
                 static_cast<int>(name.size()), name.data());
    std::abort();
  }
  const auto index = static_cast<std::size_t>(found - game_.commands.types.begin());
  const Bytes command = commands_ && player != PlayerId::none
                            ? commands_(player, static_cast<StructType>(index))
                            : Bytes();
  return command.empty() ? Bytes(default_commands_[index]) : command;
}

}  // namespace muster
