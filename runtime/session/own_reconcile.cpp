// Compares the server's state after a command with the predicted state after the same command. If
// the two states agree, the prediction stays and no command runs again. If the states differ, a
// replay begins with the server's state. For this comparison, each entity keeps its predicted
// states after the last commands.
//
// The server has sent no state of unconfirmed entities. In a replay, an unconfirmed entity begins
// with its predicted state.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "registry/components/comparison.h"
#include "registry/components/quantisation.h"
#include "runtime/replication/wire_schema.h"
#include "runtime/session/own_prediction.h"

namespace muster {
namespace {

/// The maximum number of mispredictions whose cause one `reconcile` searches. Each search runs a
/// tick.
constexpr std::size_t kProbesMax = 4;
/// The maximum error that is blended, in metres. Larger errors are corrected in one step.
constexpr double kBlendMetresMax = 4;

}  // namespace

bool OwnPrediction::is_wanted(EntityId entity) const {
  const std::optional<bool> chosen = choice_ != nullptr ? choice_->find(entity) : std::nullopt;
  return chosen.value_or(received_.player(entity) == player_);
}

/// The last command that an entity's state includes. A tick runs the commands with the tick's
/// number. Therefore the state of another player's entity includes the commands up to the state's
/// tick, which may be older than the snapshot's tick.
CommandNumber OwnPrediction::number_of(EntityId entity, CommandNumber command) const {
  if (received_.player(entity) == player_) return command;
  const Tick tick = state_ticks_ ? state_ticks_(entity) : Tick();
  const bool is_kept = tick != Tick() && tick_of(newest_) - tick < kReplayedMax;
  return command_of(is_kept ? tick : received_tick_);
}

void OwnPrediction::list_own() {
  for (Own& own : own_) own.is_listed = false;
  for (const EntityId entity : received_.owners(replicated_)) {
    if (!is_wanted(entity) || received_.is_despawning(entity)) continue;
    const bool is_own = received_.player(entity) == player_;
    const CommandNumber command(std::as_const(received_).get(replicated_, entity)->command_number);
    if (is_own && command.is_none()) continue;
    const bool is_new = find_own(entity) == nullptr;
    Own& own = add_own(entity);
    own.is_new = own.is_new || is_new;
    own.number = number_of(entity, command);
    own.has_news = is_own || is_new || !own.born.is_none() || own.number != own.state_number;
    own.state_number = own.number;
    own.born = {};
    own.is_listed = true;
    if (add_states(own, received_)) own.has_news = true;
  }
  for (const PredictedSpawns::Entry& entry : spawns_.entries()) {
    Own* const own = find_own(entry.entity);
    if (own == nullptr || entry.state != PredictedSpawns::State::predicted) continue;
    own->is_listed = true;
    add_states(*own, received_);
  }
  std::erase_if(own_, [](const Own& own) { return !own.is_listed; });
}

void OwnPrediction::reconcile(Tick tick, float fraction, Time now) {
  spawns_.refill();
  simulation_.clear_changes();
  received_tick_ = tick;
  list_own();
  bool has_base = false;
  bool has_news = false;
  for (const Own& own : own_) {
    if (!own.born.is_none()) continue;
    has_base = true;
    if (!own.has_news) continue;
    if (!has_news || command_steps(received_number_, own.number) < 0) received_number_ = own.number;
    has_news = true;
  }
  included_number_ = received_number_;
  for (const Own& own : own_) {
    if (own.born.is_none() && command_steps(included_number_, own.number) > 0) {
      included_number_ = own.number;
    }
  }
  world_ = received_;
  if (!has_base) {
    // If no entity runs commands, no state can be compared.
    for (PredictedSpawns::Entry& entry : spawns_.entries()) {
      if (entry.state == PredictedSpawns::State::predicted) spawns_.end(entry, SpawnEnd::undone);
    }
    own_.clear();
    hidden_.clear();
    return;
  }
  ++counters_.reconciles;
  probes_ = 0;
  bool is_equal = !replays_all_;
  for (Own& own : own_) {
    own.differs = own.born.is_none() && own.has_news && !compare(own);
    if (own.differs) is_equal = false;
    if (has_other_confirmed(own)) own.linked = newest_;
  }
  if (is_equal) {
    keep();
  } else {
    keep_shown(fraction, now);
    replay_touched();
    blend_changes(fraction, now);
    for (Own& own : own_) own.is_kept = false;
  }
  settle_spawns(!is_equal);
  settle_hidden(!is_equal);
  cues_.settle(included_number_, is_equal ? std::nullopt : std::optional(replay_), received_tick_,
               2 * patience_ticks_, undone_causes_);
  spawns_.forget_before(newest_ - kReplayedMax);
  cues_.forget_before(received_number_ - kReplayedMax);
}

/// Compares an entity's states. Returns false if the prediction must begin again with the server's
/// state.
bool OwnPrediction::compare(Own& own) {
  const auto hidden = std::ranges::find(hidden_, own.entity, &Hidden::entity);
  if (hidden != hidden_.end() && command_steps(hidden->command, own.number) >= 0) return true;
  bool is_equal = true;
  for (const State& state : own.states) {
    const Bytes there = std::as_const(received_).bytes(state.component, own.entity);
    const Bytes predicted = past(own, own.number, state);
    if (there.size() != state.now.size()) continue;
    if (predicted.empty()) return false;
    scratch_.assign(predicted.begin(), predicted.end());
    for (const ConfirmedBytes& one : confirmed_) {
      if (one.component != state.component) continue;
      std::memcpy(scratch_.data() + one.range.begin, there.data() + one.range.begin,
                  one.range.end - one.range.begin);
    }
    const auto at = static_cast<std::size_t>(std::ranges::find(components_, state.component) -
                                             components_.begin());
    const ComponentDescription& compared = compared_[at];
    const auto difference = first_difference(compared, scratch_, there);
    if (!difference) continue;
    // The server moves a value outside its range into the range before it sends the value.
    clamp_as_sent(at, scratch_);
    if (!first_difference(compared, scratch_, there)) continue;
    is_equal = false;
    note_misprediction(own, state, *difference);
  }
  return is_equal;
}

void OwnPrediction::clamp_as_sent(std::size_t component, std::span<std::byte> value) {
  const ComponentDescription& description = world_.storage(components_[component]).description();
  integers_.assign(schemas_[component].value_count(), 0);
  to_wire_bounded(description, schemas_[component], value, integers_,
                  [&](std::size_t field, std::span<const std::int64_t> values) {
                    dequantise(description.fields[field], values, value);
                  });
}

void OwnPrediction::note_misprediction(const Own& own, const State& state,
                                       const FieldDifference& difference) {
  ++counters_.corrections;
  const ComponentDescription& description = world_.storage(state.component).description();
  Misprediction found{.tick = received_tick_,
                      .command_tick = tick_of(own.number),
                      .entity = own.entity,
                      .component = description.name,
                      .field = difference.field->name,
                      .difference = difference.amount,
                      .tolerance = difference.field->tolerance,
                      .system = {},
                      .replayed_ticks = static_cast<std::uint32_t>(
                          std::max(command_steps(own.number, newest_), 0))};
  if (probes_++ < kProbesMax) {
    found.system = probe(own, state.component);
  }
  mispredictions_.add(found);
  problems_.add({.kind = ProblemKind::mispredicted,
                 .tick = received_tick_,
                 .entity = own.entity,
                 .player = player_,
                 .component = description.name,
                 .field = difference.field->name,
                 .system = std::string(found.system),
                 .difference = difference.amount,
                 .text = "the server computed another value than the client"});
}

/// Finds the system that caused a misprediction. Runs the command again from the predicted state
/// before the command, and records which system changes the component.
std::string_view OwnPrediction::probe(const Own& own, ComponentId component) {
  const CommandNumber before = own.number.previous();
  subset_.clear();
  for (const Own& each : own_) {
    for (const State& state : each.states) {
      const Bytes value = past(each, before, state);
      const std::span<std::byte> here = world_.bytes(state.component, each.entity);
      if (value.size() != here.size() || value.empty()) continue;
      std::ranges::copy(value, here.begin());
      if (subset_.empty() || subset_.back() != each.entity) subset_.push_back(each.entity);
    }
  }
  std::string_view found;
  const Bytes start = std::as_const(world_).bytes(component, own.entity);
  ByteVector last(start.begin(), start.end());
  simulation_.set_after_system([&](std::uint32_t system) {
    const Bytes value = std::as_const(world_).bytes(component, own.entity);
    if (std::ranges::equal(value, last)) return;
    last.assign(value.begin(), value.end());
    found = systems_[system].name;
  });
  is_probing_ = true;
  begin_command(own.number);
  simulation_.predict_tick(tick_of(own.number), subset_);
  running_ = nullptr;
  is_probing_ = false;
  simulation_.set_after_system({});
  world_ = received_;
  return found;
}

/// Call this function if the prediction was correct. Predicted entities keep their state. All other
/// entities get the received state.
void OwnPrediction::keep() {
  for (Own& own : own_) {
    for (State& state : own.states) {
      const std::span<std::byte> here = world_.bytes(state.component, own.entity);
      if (here.size() == state.now.size()) std::ranges::copy(state.now, here.begin());
    }
  }
  keep_confirmed_fields();
  for (const ConfirmedBytes& one : confirmed_) {
    for (Own& own : own_) {
      const auto state = std::ranges::find(own.states, one.component, &State::component);
      const Bytes here = std::as_const(world_).bytes(one.component, own.entity);
      if (state == own.states.end() || here.size() != state->now.size()) continue;
      std::memcpy(state->now.data() + one.range.begin, here.data() + one.range.begin,
                  one.range.end - one.range.begin);
    }
  }
  for (const Hidden& one : hidden_) world_.request_despawn(one.entity);
  world_.process_despawns();
}

void OwnPrediction::keep_shown(float fraction, Time now) {
  for (Own& own : own_) {
    for (State& state : own.states) {
      state.old.resize(state.now.size());
      show(state, fraction, now, state.old);
    }
  }
}

void OwnPrediction::blend_changes(float fraction, Time now) {
  for (Own& own : own_) {
    if (std::exchange(own.is_new, false) || own.is_kept) continue;
    for (State& state : own.states) {
      if (state.old.size() != state.now.size()) continue;
      const ComponentDescription& description = world_.storage(state.component).description();
      state.is_blending = false;
      show(state, fraction, now, state.blend_to);
      if (!first_difference(description, state.old, state.blend_to)) continue;
      const bool is_far = state.position && muster::is_teleported(state.old, state.blend_to,
                                                                  *state.position, kBlendMetresMax);
      if (is_far) continue;
      state.blend_from = state.old;
      state.corrected_at = now;
      state.is_blending = true;
    }
  }
}

bool OwnPrediction::is_overdue(Tick since) const {
  return received_tick_.value() - since.value() >= patience_ticks_;
}

void OwnPrediction::read_spawns(std::span<const std::byte> bytes, CommandNumber newest) {
  static_cast<void>(spawn_report_.decode(bytes, newest));  // A malformed report is ignored.
}

void OwnPrediction::settle_spawns(bool is_replayed) {
  for (PredictedSpawns::Entry& entry : spawns_.entries()) {
    if (entry.state != PredictedSpawns::State::predicted) continue;
    const SpawnRefusal refusal = spawn_report_.find(entry.key).value_or(SpawnRefusal::none);
    if (refusal != SpawnRefusal::none && !has_match_rule_) {
      ++counters_.spawns_refused;
      spawns_.end(entry, SpawnEnd::refused);
      problems_.add({.kind = ProblemKind::refused,
                     .tick = received_tick_,
                     .entity = entry.entity,
                     .player = player_,
                     .text = "a predicted entity was removed: " + std::string(to_string(refusal))});
    } else if (command_steps(included_number_, entry.key.command) > 0) {
      if (!is_replayed || entry.replay == replay_) continue;
      ++counters_.spawns_undone;
      spawns_.end(entry, SpawnEnd::undone);
    } else {
      if (!entry.is_awaited) entry.awaited_since = received_tick_;
      entry.is_awaited = true;
      if (!is_overdue(entry.awaited_since)) continue;
      if (!entry.has_despawned) ++counters_.spawns_expired;
      spawns_.end(entry, SpawnEnd::expired);
    }
    strip(entry.entity);
    std::erase_if(own_, [&](const Own& own) { return own.entity == entry.entity; });
  }
}

void OwnPrediction::settle_hidden(bool is_replayed) {
  std::erase_if(hidden_, [&](Hidden& one) {
    if (!received_.is_alive(one.entity) || received_.is_despawning(one.entity)) return true;
    if (command_steps(included_number_, one.command) > 0) {
      return is_replayed && one.replay != replay_;
    }
    // `settle_spawns` handles predicted entities.
    if (spawns_.is_predicted(one.entity)) return false;
    if (!one.awaited_since) one.awaited_since = received_tick_;
    return is_overdue(*one.awaited_since);
  });
}

}  // namespace muster
