// Runs commands, shows their results, and handles predicted spawns and despawns. The comparison
// with the server is in own_reconcile.cpp. The replay is in own_replay.cpp.
#include "runtime/session/own_prediction.h"

#include <algorithm>
#include <cstring>

#include "registry/components/interpolation.h"
#include "runtime/replication/wire_schema.h"
#include "runtime/sync/error_blend.h"
#include "runtime/sync/teleport.h"

namespace muster {
namespace {

/// The first reference of an unconfirmed entity. Later references are lower. The reference -1 means
/// no entity.
constexpr std::int32_t kFirstPredictedReference = -2;

bool is_linear_real(const FieldDescription& field) {
  return field.interpolation == Interpolation::linear &&
         (field.type == FieldType::float32 || field.type == FieldType::vec2 ||
          field.type == FieldType::vec3);
}

}  // namespace

OwnPrediction::OwnPrediction(const Game& game, const PredictionSource& source,
                             const ReplicatedCollection& ids, PlayerId player, ProblemLog& problems)
    : received_(source.received),
      world_(source.received),
      spawns_(source, player),
      simulation_(game, world_, ids, nullptr, player, problems, 0),
      problems_(problems),
      player_(player),
      metres_per_tick_max_(session_detail::teleport_metres_per_tick(game)),
      patience_ticks_(std::max<std::uint32_t>(game.ticks_per_second / 2U, 8U)),
      replayed_ticks_max_(game.sync.replayed_ticks_max),
      replicated_(world_.component<Replicated>("ReplicatedEntity")),
      command_types_(game.commands.types),
      systems_(game.systems.entries) {
  list_components(game);
  has_match_rule_ = !game.overrides.spawn_matches().empty();
  for (CommandSet& set : history_) set = default_commands(game.commands.types);
  forced_ = default_commands(game.commands.types);
  simulation_.set_forecast(this);
  simulation_.set_cues([this](const Cue& cue) {
    if (is_probing_ || !cues_.predict(cue.key, cue.options.cause, replay_, is_replaying_)) return;
    if (cue_player_) cue_player_(cue, is_replaying_);
  });
  simulation_.set_command_numbers([this](PlayerId) { return running_number_; });
  simulation_.set_commands([this](PlayerId owner, StructType command) {
    return owner == player_ && running_ != nullptr ? Bytes((*running_)[struct_index(command)])
                                                   : Bytes();
  });
  spawns_.set_past([this](EntityId entity, ComponentId component, CommandNumber command) {
    const Own* const own = find_own(entity);
    if (own == nullptr) return Bytes();
    const auto state = std::ranges::find(own->states, component, &State::component);
    return state != own->states.end() ? past(*own, command, *state) : Bytes();
  });
}

/// Lists the components that shared systems can write. A system that runs once per tick can write
/// any component.
void OwnPrediction::list_components(const Game& game) {
  const auto add = [this](std::string_view name) {
    const std::optional<ComponentId> id = world_.find_component(name);
    if (!id || name == "ReplicatedEntity") return;
    if (std::ranges::find(components_, *id) == components_.end()) components_.push_back(*id);
  };
  for (const session_detail::SystemEntry& system : game.systems.entries) {
    for (const session_detail::VisitedComponent& used : system.components) {
      if (used.is_written) add(used.name);
    }
    if (!system.components.empty()) continue;
    for (const ComponentDescription& type : game.components.types) add(type.name);
  }
  for (const ComponentId id : components_) {
    ComponentDescription& turned = turned_.emplace_back(world_.storage(id).description());
    for (FieldDescription& field : turned.fields) {
      if (is_linear_real(field)) field.interpolation = Interpolation::step;
    }
    schemas_.push_back(wire_schema(world_.storage(id).description()));
    ComponentDescription& compared = compared_.emplace_back(world_.storage(id).description());
    for (FieldDescription& field : compared.fields) {
      field.tolerance = std::max(field.tolerance, field.resolution);
      if (field.rollback != RollbackClass::confirmed_only) continue;
      const std::uint32_t end = field.offset_bytes + field.element_bytes * field.count;
      confirmed_.push_back({.component = id, .range = {.begin = field.offset_bytes, .end = end}});
    }
  }
}

OwnPrediction::Own* OwnPrediction::find_own(EntityId entity) {
  return const_cast<Own*>(std::as_const(*this).find_own(entity));
}

const OwnPrediction::Own* OwnPrediction::find_own(EntityId entity) const {
  const auto own = std::ranges::lower_bound(own_, entity, {}, &Own::entity);
  return own != own_.end() && own->entity == entity ? &*own : nullptr;
}

OwnPrediction::Own& OwnPrediction::add_own(EntityId entity) {
  const auto at = std::ranges::lower_bound(own_, entity, {}, &Own::entity);
  if (at != own_.end() && at->entity == entity) return *at;
  Own& own = *own_.insert(at, Own());
  own.entity = entity;
  own.past_numbers.assign(kReplayedMax, {});
  return own;
}

/// Adds states for components that the entity got after its spawn. An entity gets components later
/// if its bundle loads later.
bool OwnPrediction::add_states(Own& own, const World& world) {
  std::size_t row = 0;
  for (const State& state : own.states) row += state.now.size();
  const std::size_t row_before = row;
  for (const ComponentId component : components_) {
    const Bytes value = world.bytes(component, own.entity);
    const bool is_known =
        std::ranges::find(own.states, component, &State::component) != own.states.end();
    if (value.empty() || is_known) continue;
    const ByteVector bytes(value.begin(), value.end());
    own.states.push_back({.component = component,
                          .offset = row,
                          .position = position_offset_bytes(world.storage(component).description()),
                          .before = bytes,
                          .now = bytes,
                          .old = {},
                          .blend_from = bytes,
                          .blend_to = bytes});
    row += bytes.size();
  }
  if (row == row_before) return false;
  own.past.assign(row * kReplayedMax, std::byte{0});
  std::ranges::fill(own.past_numbers, CommandNumber{});
  return true;
}

void OwnPrediction::run(CommandNumber number, const CommandSet& commands) {
  fill_gap(number);
  newest_ = number;
  copy_commands(commands, history_[number.value() % kReplayedMax]);
  ++counters_.predicted_ticks;
  for (Own& own : own_) {
    for (State& state : own.states) std::ranges::copy(state.now, state.before.begin());
  }
  run_tick(number);
  for (Own& own : own_) {
    for (State& state : own.states) {
      if (is_teleported(state, state.before, state.now)) state.is_blending = false;
    }
  }
  for (PredictedSpawns::Entry& entry : spawns_.entries()) {
    if (entry.key.command == number) mirror(entry.entity);
  }
}

/// Fills in the ticks that the clock has skipped. In these ticks, the server repeats the last
/// command.
void OwnPrediction::fill_gap(CommandNumber number) {
  if (newest_.is_none() || command_steps(newest_, number) <= 1) return;
  const std::uint32_t count =
      std::min(static_cast<std::uint32_t>(command_steps(newest_, number)) - 1, kReplayedMax - 1);
  const CommandSet* before = &history_[newest_.value() % kReplayedMax];
  for (CommandNumber missing = number - count; missing != number; missing = missing.next()) {
    CommandSet& filled = history_[missing.value() % kReplayedMax];
    if (&filled != before) copy_commands(*before, filled);
    repeat_commands(command_types_, filled);
    before = &filled;
  }
}

/// Applies the forces to a command of the history. The history has commands without forces, because
/// a force that arrives later also changes older commands.
void OwnPrediction::begin_command(CommandNumber number) {
  copy_commands(history_[number.value() % kReplayedMax], forced_);
  if (forces_ != nullptr) forces_->apply(number, forced_);
  running_ = &forced_;
  running_number_ = number;
}

void OwnPrediction::run_tick(CommandNumber number) {
  begin_command(number);
  subset_.clear();
  for (const Own& own : own_) {
    // An entity that this command spawns is added when the spawning system has ended.
    if (is_unborn(own, number) || own.born == number || own.is_kept) continue;
    if (command_steps(own.number, number) > 0) subset_.push_back(own.entity);
  }
  simulation_.predict_tick(tick_of(number), subset_);
  running_ = nullptr;
  if (is_probing_) return;
  keep_confirmed_fields();
  capture(number);
}

void OwnPrediction::keep_confirmed_fields() {
  for (const ConfirmedBytes& one : confirmed_) {
    for (const Own& own : own_) {
      if (!own.born.is_none()) continue;
      const std::span<std::byte> here = world_.bytes(one.component, own.entity);
      const Bytes there = std::as_const(received_).bytes(one.component, own.entity);
      if (here.empty() || there.empty()) continue;
      std::memcpy(here.data() + one.range.begin, there.data() + one.range.begin,
                  one.range.end - one.range.begin);
    }
  }
}

void OwnPrediction::capture(CommandNumber number) {
  for (Own& own : own_) {
    if (is_unborn(own, number) || own.is_kept) continue;
    if (own.states.empty() || own.born == number) add_states(own, world_);
    for (State& state : own.states) {
      const Bytes value = std::as_const(world_).bytes(state.component, own.entity);
      if (value.size() != state.now.size()) continue;
      std::ranges::copy(value, state.now.begin());
      // A new entity has no state of the previous tick.
      if (own.born == number) std::ranges::copy(value, state.before.begin());
    }
    put_past(own, number, world_);
  }
}

Bytes OwnPrediction::past(const Own& own, CommandNumber number, const State& state) const {
  if (own.past_numbers[number.value() % kReplayedMax] != number) return {};
  const std::size_t row = own.past.size() / kReplayedMax;
  return Bytes(own.past).subspan((number.value() % kReplayedMax) * row + state.offset,
                                 state.now.size());
}

void OwnPrediction::put_past(Own& own, CommandNumber number, const World& world) {
  const std::size_t row = own.past.size() / kReplayedMax;
  for (const State& state : own.states) {
    const Bytes value = world.bytes(state.component, own.entity);
    if (value.size() != state.now.size()) continue;
    std::ranges::copy(value,
                      own.past.begin() + static_cast<std::ptrdiff_t>(
                                             (number.value() % kReplayedMax) * row + state.offset));
  }
  own.past_numbers[number.value() % kReplayedMax] = number;
}

EntityId OwnPrediction::spawn(const PredictedKey& key, EntityType type, bool& is_new) {
  if (is_probing_) return {};
  PredictedSpawns::Entry* entry = spawns_.find(key);
  if (entry != nullptr && entry->state == PredictedSpawns::State::ended &&
      entry->end == SpawnEnd::undone) {
    entry->key = {};  // The command's first spawn was undone. The new spawn gets another entity.
    entry = nullptr;
  }
  if (entry == nullptr) {
    const Result<TypeId> id = spawns_.type(type);
    if (!id) return {};  // The server reports the problem.
    entry = spawns_.make(key, id.value());
  }
  if (entry == nullptr || entry->state == PredictedSpawns::State::ended) return {};
  is_new = entry->state == PredictedSpawns::State::predicted;
  entry->replay = replay_;
  entry->has_despawned = false;
  world_.set_player(entry->entity, player_);
  return entry->entity;
}

void OwnPrediction::fill(EntityId entity) {
  PredictedSpawns::Entry* const entry = spawns_.find(entity);
  if (entry == nullptr) return;
  strip(entity);  // A replay may have restored the entity's components.
  if (const PrefabPlan* const plan = spawns_.plan(entry->type)) {
    const PlannedEntity& root = plan->entities.front();
    for (const PlannedComponent& component :
         std::span(plan->components).subspan(root.first_component, root.component_count)) {
      world_.add(component.id, entity,
                 Bytes(plan->data).subspan(component.offset_bytes, component.size_bytes));
    }
  }
  add_own(entity).born = running_number_;
  subset_.push_back(entity);
}

void OwnPrediction::despawned(EntityId entity) {
  if (is_probing_) return;
  if (PredictedSpawns::Entry* const entry = spawns_.find(entity)) entry->has_despawned = true;
  const auto known = std::ranges::find(hidden_, entity, &Hidden::entity);
  if (known != hidden_.end()) {
    known->command = running_number_;
    known->replay = replay_;
    return;
  }
  hidden_.push_back(
      {.entity = entity, .command = running_number_, .replay = replay_, .awaited_since = {}});
}

EntityReference OwnPrediction::reference(EntityId entity) const {
  if (!spawns_.is_predicted(entity)) return {};
  return {kFirstPredictedReference - static_cast<std::int32_t>(entity.slot())};
}

EntityId OwnPrediction::find(EntityReference reference) const {
  if (reference.network_id > kFirstPredictedReference) return {};
  for (const PredictedSpawns::Entry& entry : spawns_.entries()) {
    const auto slot = static_cast<std::int32_t>(entry.entity.slot());
    if (kFirstPredictedReference - slot == reference.network_id) return entry.entity;
  }
  return {};
}

/// Copies a predicted entity's components to the received world, because the view reads the
/// received world.
void OwnPrediction::mirror(EntityId entity) {
  for (std::uint32_t i = 0; i < world_.component_type_count(); ++i) {
    const ComponentId id(i);
    const Bytes value = std::as_const(world_).bytes(id, entity);
    if (value.empty()) continue;
    const std::span<std::byte> there = received_.bytes(id, entity);
    if (there.empty()) {
      received_.add(id, entity, value);
    } else {
      std::ranges::copy(value, there.begin());
    }
  }
}

/// Interpolates the fields of a component. Fields that are not interpolated have their newest
/// value.
void OwnPrediction::blend(const ComponentDescription& description, Bytes from, Bytes to,
                          float fraction, std::span<std::byte> out) const {
  interpolate(description, from, to, fraction, out);
  for (const FieldDescription& field : description.fields) {
    if (field.interpolation != Interpolation::step) continue;
    const std::size_t bytes = std::size_t{field.element_bytes} * field.count;
    std::memmove(out.data() + field.offset_bytes, to.data() + field.offset_bytes, bytes);
  }
}

bool OwnPrediction::shown(EntityId entity, ComponentId component, float fraction, Time now,
                          std::span<std::byte> out) const {
  const Own* const own = find_own(entity);
  if (own == nullptr) return false;
  const auto state = std::ranges::find(own->states, component, &State::component);
  if (state == own->states.end()) return false;
  show(*state, fraction, now, out);
  return true;
}

bool OwnPrediction::is_teleported(const State& state, Bytes from, Bytes to) const {
  return state.position &&
         muster::is_teleported(from, to, *state.position, double{metres_per_tick_max_});
}

/// Computes the shown state of a moving entity while an error is blended out. The remaining part of
/// the error is added to linear fields. Other fields are interpolated.
void OwnPrediction::show(const State& state, float fraction, Time now,
                         std::span<std::byte> out) const {
  const ComponentDescription& description = world_.storage(state.component).description();
  std::ranges::copy(state.now, out.begin());
  if (!is_teleported(state, state.before, state.now)) {
    blend(description, state.before, state.now, fraction, out);
  }
  const Duration since = now - state.corrected_at;
  const float left = shown_error_share(since);
  if (!state.is_blending || left == 0) return;
  for (const FieldDescription& field : description.fields) {
    if (!is_linear_real(field)) continue;
    const std::size_t count = std::size_t{field.element_bytes} * field.count / sizeof(float);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = field.offset_bytes + i * sizeof(float);
      float value = 0;
      float from = 0;
      float to = 0;
      std::memcpy(&value, out.data() + at, sizeof value);
      std::memcpy(&from, state.blend_from.data() + at, sizeof from);
      std::memcpy(&to, state.blend_to.data() + at, sizeof to);
      value += (from - to) * left;
      std::memcpy(out.data() + at, &value, sizeof value);
    }
  }
  const auto at = std::ranges::find(components_, state.component);
  const ComponentDescription& turned = turned_[static_cast<std::size_t>(at - components_.begin())];
  turning_.assign(out.begin(), out.end());
  blend(turned, state.blend_from, turning_, 1 - left, out);
}

bool OwnPrediction::is_predicted(EntityId entity) const {
  const Own* const own = find_own(entity);
  return own != nullptr && !own->states.empty();
}

bool OwnPrediction::is_hidden(EntityId entity) const {
  return std::ranges::find(hidden_, entity, &Hidden::entity) != hidden_.end();
}

}  // namespace muster
