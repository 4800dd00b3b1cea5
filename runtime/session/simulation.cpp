// Changes of structure wait until the running system has ended: components are arrays, and a system
// walks over them.
#include "runtime/session/simulation.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>
#include <utility>

namespace muster {

Simulation::Simulation(const Game& game, Spawner& spawner, ReplicatedCollection& collection,
                       const BuildContent& content, ProblemLog& problems, std::uint64_t seed)
    : game_(game),
      spawner_(spawner),
      world_(spawner.world()),
      collection_(collection),
      content_(content),
      problems_(problems),
      seed_(seed),
      replicated_(world_.component<Replicated>("ReplicatedEntity")),
      walk_(world_) {
  for (const ComponentDescription& command : game_.commands.types) {
    default_commands_.push_back(command.default_value);
  }
}

void Simulation::run_tick(Tick tick) {
  tick_ = tick;
  const float seconds = 1.0F / static_cast<float>(game_.ticks_per_second);
  std::uint32_t index = 0;
  for (const session_detail::SystemEntry& system : game_.server_systems.entries) {
    if (is_paused_) break;
    is_running_ = true;
    SystemContext context(*this, tick, seconds, index++);
    system.run(context);
    is_running_ = false;
    apply_pending();
  }
  world_.process_despawns();
  joined_.clear();
  left_.clear();
}

EntityId Simulation::spawn(EntityType type, const SpawnOptions& options,
                           std::span<const session_detail::NamedValue> values) {
  const EntityId entity = make(type, options, values);
  if (!is_running_) apply_pending();
  return entity;
}

EntityId Simulation::make(EntityType type, const SpawnOptions& options,
                          std::span<const session_detail::NamedValue> values) {
  const auto refuse = [&](std::string text) {
    problems_.add({.kind = ProblemKind::unknown_type,
                   .tick = tick_,
                   .player = options.owner,
                   .text = std::move(text)});
    return EntityId();
  };
  const Result<TypeId> id = content_.type(type);
  if (!id) return refuse(id.error().message);
  const TypePlace* const place = spawner_.store().resolve(content_.registry(), id.value());
  if (place == nullptr) return refuse("the prefab of the type is in no bundle of this build");
  const Result<const PrefabPlan*> plan = spawner_.prepare(place->guid);
  if (!plan) return refuse(plan.error().message);
  const EntityReference reference = collection_.lowest_free();
  if (reference.network_id < 0) {
    return refuse("all " + std::to_string(kMaxNetworkIds) + " network ids are in use");
  }
  const EntityId entity = world_.create({.player = options.owner});
  (void)collection_.add(reference, entity);  // The id was free, and the entity is alive.
  pending_.push_back({.kind = Pending::Kind::fill, .entity = entity, .plan = plan.value()});
  for (const session_detail::NamedValue& value : values) {
    queue_value(Pending::Kind::value, entity, value);
  }
  note_spawned({.entity = entity, .reference = reference, .type = id.value(), .options = options});
  return entity;
}

void Simulation::adopt(EntityId entity, EntityReference reference, TypeId type) {
  if (Replicated* const replicated = world_.get(replicated_, entity)) {
    replicated->id = reference.network_id;
  }
  note_spawned({.entity = entity, .reference = reference, .type = type, .options = {}});
}

void Simulation::note_spawned(const SpawnedEntity& spawned) {
  const std::uint32_t slot = spawned.entity.slot();
  if (spawned_.size() <= slot) spawned_.resize(std::size_t{slot} + 1);
  spawned_[slot] = spawned;
  unsent_.push_back(spawned.entity);
}

std::optional<ComponentId> Simulation::component_id(std::string_view name, std::size_t bytes) {
  const std::optional<ComponentId> id = walk_.find(name);
  if (id && world_.storage(*id).description().size_bytes == bytes) return id;
  problems_.add({.kind = ProblemKind::unknown_type,
                 .tick = tick_,
                 .component = std::string(name),
                 .text = "Game::components does not list this component"});
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
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const Pending pending = pending_[i];
    if (!world_.is_alive(pending.entity)) continue;
    switch (pending.kind) {
      case Pending::Kind::fill: {
        spawner_.instantiate_at(*pending.plan, pending.entity);
        const SpawnedEntity* const spawned = find_spawned(pending.entity);
        if (Replicated* const replicated = world_.get(replicated_, pending.entity)) {
          replicated->id = spawned != nullptr ? spawned->reference.network_id : -1;
          replicated->predicting_player_id =
              static_cast<std::int32_t>(world_.player(pending.entity));
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
  if (bytes.empty()) {
    world_.add(pending.component, pending.entity, value);
  } else if (pending.kind == Pending::Kind::value) {
    std::ranges::copy(value, bytes.begin());
  }
}

const SpawnedEntity* Simulation::find_spawned(EntityId entity) const {
  if (entity.slot() >= spawned_.size() || !world_.is_alive(entity)) return nullptr;
  const SpawnedEntity& found = spawned_[entity.slot()];
  return found.entity == entity ? &found : nullptr;
}

void Simulation::despawn_all_of(PlayerId player) {
  for (const SpawnedEntity& one : spawned_) {
    if (world_.player(one.entity) == player && !one.options.keep) despawn(one.entity);
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
  const std::optional<ComponentId> id = component_id(name, bytes);
  if (!id) return nullptr;
  const std::span<std::byte> found = world_.bytes(*id, entity);
  return found.empty() ? nullptr : found.data();
}

bool Simulation::may_change(EntityId entity, ComponentId component, std::string_view verb) {
  const SpawnedEntity* const spawned = find_spawned(entity);
  const ComponentDescription& description = world_.storage(component).description();
  if (spawned == nullptr || description.fields.empty()) return true;
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
  if (!is_running_) apply_pending();
  return true;
}

bool Simulation::remove_component(EntityId entity, std::string_view name) {
  const std::optional<ComponentId> id = walk_.find(name);
  if (!id || !world_.has(*id, entity)) return false;
  if (!may_change(entity, *id, "remove")) return false;
  pending_.push_back({.kind = Pending::Kind::remove, .entity = entity, .component = *id});
  if (!is_running_) apply_pending();
  return true;
}

EntityReference Simulation::reference(EntityId entity) const {
  const SpawnedEntity* const found = find_spawned(entity);
  return found != nullptr ? found->reference : EntityReference();
}

EntityId Simulation::owned(PlayerId player, EntityType type) {
  const Result<TypeId> id = content_.type(type);
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

Bytes Simulation::command_bytes(PlayerId player, std::string_view name) {
  const auto found = std::ranges::find(game_.commands.types, name, &ComponentDescription::name);
  assert(found != game_.commands.types.end() && "Game::commands does not list this command");
  const auto index = static_cast<std::size_t>(found - game_.commands.types.begin());
  const Bytes command = commands_ && player != PlayerId::none ? commands_(player, index) : Bytes();
  return command.empty() ? Bytes(default_commands_[index]) : command;
}

}  // namespace muster
