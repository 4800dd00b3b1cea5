// After a difference, runs commands again for the entities that the difference may affect.
//
// The result of a replay depends only on the states at its beginning, on the commands, and on the
// data that systems read. `reached` records the commands in which a system for one entity used
// another entity. A replay leaves out an entity if its compared state was predicted correctly and
// no later command linked the entity with another entity. A replay would not change such an entity.
// If a replay uses an entity that it left out, all entities run again.
#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/session/own_prediction.h"

namespace muster {

void OwnPrediction::strip(EntityId entity) {
  for (std::uint32_t i = 0; i < world_.component_type_count(); ++i) {
    world_.remove(ComponentId(i), entity);
  }
}

void OwnPrediction::reached(EntityId from, EntityId to) {
  if (is_probing_) return;
  const auto link = [this](Own& own) {
    own.linked = running_number_;
    if (own.is_kept) has_met_kept_ = true;
  };
  if (from.is_null()) {
    for (Own& own : own_) link(own);
    return;
  }
  if (Own* const own = find_own(from)) link(*own);
  if (Own* const own = to.is_null() ? nullptr : find_own(to)) link(*own);
}

void OwnPrediction::note_changed_commands() {
  for (Own& own : own_) own.linked = newest_;
}

/// Whether the received value and the predicted value differ in a field that only the server
/// changes.
bool OwnPrediction::has_other_confirmed(const Own& own) const {
  return std::ranges::any_of(confirmed_, [&](const ConfirmedBytes& one) {
    const auto state = std::ranges::find(own.states, one.component, &State::component);
    const Bytes there = received_.bytes(one.component, own.entity);
    if (state == own.states.end() || there.size() != state->now.size()) return false;
    return std::memcmp(there.data() + one.range.begin, state->now.data() + one.range.begin,
                       one.range.end - one.range.begin) != 0;
  });
}

void OwnPrediction::choose_kept() {
  for (Own& own : own_) {
    const bool is_linked = !own.linked.is_none() && command_steps(own.number, own.linked) > 0;
    own.is_kept = leaves_out_ && !replays_all_ && own.born.is_none() && !own.differs &&
                  !is_linked && !own.is_new;
  }
}

void OwnPrediction::replay_touched() {
  for (Own& own : own_) {
    if (own.has_news || !own.born.is_none()) continue;
    // No new state of this entity has arrived, so the entity begins with its predicted state.
    if (command_steps(own.number, received_number_) > 0) own.number = received_number_;
  }
  choose_kept();
  is_replaying_ = true;
  if (!replay()) {
    ++counters_.whole_replays;
    for (Own& own : own_) own.is_kept = false;
    world_ = received_;
    replay();
  }
  is_replaying_ = false;
}

/// Restores the predicted state after a command.
void OwnPrediction::put_back(const Own& own, CommandNumber number) {
  for (const State& state : own.states) {
    const Bytes value = past(own, number, state);
    const std::span<std::byte> here = world_.bytes(state.component, own.entity);
    if (value.size() == here.size()) std::ranges::copy(value, here.begin());
  }
}

void OwnPrediction::begin_replay() {
  ++replay_;
  ++counters_.replays;
  has_met_kept_ = false;
  for (Own& own : own_) {
    if (own.is_kept) {
      for (const State& state : own.states) {
        const std::span<std::byte> here = world_.bytes(state.component, own.entity);
        if (here.size() == state.now.size()) std::ranges::copy(state.now, here.begin());
      }
    } else if (own.born.is_none() && (own.differs || replays_all_)) {
      put_past(own, own.number, received_);
    } else if (own.born.is_none()) {
      put_back(own, own.number);
    } else if (is_unborn(own, included_number_)) {
      strip(own.entity);
    } else {
      const bool is_later = command_steps(received_number_, own.born) > 0;
      own.number = is_later ? own.born : received_number_;
      put_back(own, own.number);
    }
  }
  keep_confirmed_fields();
  for (const Hidden& one : hidden_) {
    if (command_steps(one.command, included_number_) >= 0) world_.request_despawn(one.entity);
  }
  world_.process_despawns();
}

/// Runs the replay. Returns false if the replay used an entity that it left out.
bool OwnPrediction::replay() {
  begin_replay();
  const std::int32_t count = command_steps(received_number_, newest_);
  if (count > 0 && count <= replayed_ticks_max_) {
    counters_.replayed_ticks += static_cast<std::uint64_t>(count);
    for (CommandNumber number = received_number_.next(); number != newest_.next();
         number = number.next()) {
      if (number == newest_) {
        capture(newest_ - 1);
        for (Own& own : own_) {
          if (own.is_kept) continue;
          for (State& state : own.states) std::ranges::copy(state.now, state.before.begin());
        }
      }
      run_tick(number);
      counters_.replayed_states += subset_.size();
      if (has_met_kept_) return false;
    }
    const auto kept = std::ranges::count_if(own_, &Own::is_kept);
    counters_.kept_states += static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(kept);
  } else {
    capture(newest_);
  }
  for (const PredictedSpawns::Entry& entry : spawns_.entries()) {
    if (entry.state == PredictedSpawns::State::predicted) mirror(entry.entity);
  }
  return true;
}

}  // namespace muster
