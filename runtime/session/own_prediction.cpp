#include "runtime/session/own_prediction.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "registry/vocabulary/comparison.h"
#include "registry/vocabulary/interpolation.h"

namespace muster {
namespace {

std::int32_t steps(std::uint32_t from, std::uint32_t to) {
  return static_cast<std::int32_t>(to - from);
}

}  // namespace

OwnPrediction::OwnPrediction(const Game& game, const World& received,
                             const ReplicatedCollection& ids, PlayerId player, ProblemLog& problems)
    : world_(received),
      simulation_(game, world_, ids, nullptr, player, problems, 0),
      problems_(problems),
      player_(player),
      replicated_(world_.component<Replicated>("ReplicatedEntity")) {
  for (const session_detail::SystemEntry& system : game.systems.entries) {
    for (const session_detail::VisitedComponent& used : system.components) {
      const std::optional<ComponentId> id = world_.find_component(used.name);
      if (!used.is_written || !id) continue;
      if (std::ranges::find(components_, *id) == components_.end()) components_.push_back(*id);
    }
  }
  command_types_ = game.commands.types;
  for (CommandSet& set : history_) set = default_commands(game.commands.types);
  simulation_.set_commands([this](PlayerId owner, std::size_t command) {
    return owner == player_ && running_ != nullptr ? Bytes((*running_)[command]) : Bytes();
  });
}

void OwnPrediction::run(std::uint32_t number, const CommandSet& commands) {
  fill_gap(number);
  newest_ = number;
  CommandSet& kept = history_[number % kReplayedMax];
  copy_commands(commands, kept);
  ++predicted_ticks_;
  for (Own& own : own_) {
    for (State& state : own.states) state.before = state.now;
  }
  run_tick(number);
  capture(number);
}

/// The server runs ticks that the clock left out with repeated commands.
void OwnPrediction::fill_gap(std::uint32_t number) {
  if (newest_ == 0 || steps(newest_, number) <= 1) return;
  const std::uint32_t count = std::min<std::uint32_t>(number - newest_ - 1, kReplayedMax - 1);
  const CommandSet* before = &history_[newest_ % kReplayedMax];
  for (std::uint32_t missing = number - count; missing != number; ++missing) {
    CommandSet& filled = history_[missing % kReplayedMax];
    if (&filled != before) copy_commands(*before, filled);
    repeat_commands(command_types_, filled);
    before = &filled;
  }
}

void OwnPrediction::force(const ForcedField& forced) {
  CommandForces forces(command_types_);
  if (!forces.follow(forced)) return;
  const std::int32_t count = std::min<std::int32_t>(steps(forced.stamp, newest_) + 1, kReplayedMax);
  for (std::int32_t i = count; i-- > 0;) {
    const std::uint32_t number = newest_ - static_cast<std::uint32_t>(i);
    forces.apply(number, history_[number % kReplayedMax]);
  }
}

void OwnPrediction::run_tick(std::uint32_t number) {
  running_ = &history_[number % kReplayedMax];
  running_number_ = number;
  subset_.clear();
  for (const Own& own : own_) {
    if (steps(own.number, number) > 0) subset_.push_back(own.entity);
  }
  const std::int32_t ahead = std::max(steps(received_number_, number), 0);
  simulation_.predict_tick(Tick(received_tick_.value() + static_cast<std::uint32_t>(ahead)),
                           subset_);
  running_ = nullptr;
}

void OwnPrediction::capture(std::uint32_t number) {
  const std::uint32_t slot = number % kReplayedMax;
  for (Own& own : own_) {
    own.predicted_numbers[slot] = number;
    for (State& state : own.states) {
      const Bytes value = std::as_const(world_).bytes(state.component, own.entity);
      if (value.size() == state.now.size()) std::ranges::copy(value, state.now.begin());
      std::ranges::copy(state.now, state.predicted.begin() +
                                       static_cast<std::ptrdiff_t>(slot * state.now.size()));
    }
  }
}

bool OwnPrediction::is_confirmed(const World& received) const {
  return std::ranges::all_of(own_, [&](const Own& own) {
    const std::uint32_t slot = own.number % kReplayedMax;
    if (own.number == 0 || own.predicted_numbers[slot] != own.number) return false;
    return std::ranges::all_of(own.states, [&](const State& state) {
      const std::size_t bytes = state.now.size();
      const Bytes predicted = Bytes(state.predicted).subspan(slot * bytes, bytes);
      const Bytes value = received.bytes(state.component, own.entity);
      const ComponentDescription& description = world_.storage(state.component).description();
      return value.size() == bytes && !first_difference(description, value, predicted);
    });
  });
}

/// The received world has older states of what is predicted.
void OwnPrediction::keep_predicted() {
  for (const Own& own : own_) {
    for (const State& state : own.states) {
      const std::span<std::byte> bytes = world_.bytes(state.component, own.entity);
      if (bytes.size() == state.now.size()) std::ranges::copy(state.now, bytes.begin());
    }
  }
}

void OwnPrediction::list_own(const World& received) {
  std::vector<Own> old = std::move(own_);
  own_.clear();
  received.each_entity([&](EntityId entity) {
    if (received.player(entity) != player_) return;
    const Replicated* const replicated = received.get(replicated_, entity);
    if (replicated == nullptr || replicated->command_number == 0) return;
    Own own{.entity = entity, .number = replicated->command_number, .states = {}};
    const auto known = std::ranges::find(old, entity, &Own::entity);
    if (known != old.end()) {
      own.states = std::move(known->states);
      own.predicted_numbers = known->predicted_numbers;
    }
    for (const ComponentId component : components_) {
      const Bytes value = received.bytes(component, entity);
      const bool is_known =
          std::ranges::find(own.states, component, &State::component) != own.states.end();
      if (value.empty() || is_known) continue;
      const ByteVector bytes(value.begin(), value.end());
      own.states.push_back({.component = component,
                            .before = bytes,
                            .now = bytes,
                            .blend_from = bytes,
                            .predicted = ByteVector(kReplayedMax * bytes.size())});
      own.predicted_numbers = {};
    }
    own_.push_back(std::move(own));
  });
  std::ranges::sort(own_, {}, &Own::entity);
}

void OwnPrediction::reconcile(const World& received, Tick tick, Time now) {
  world_ = received;
  simulation_.clear_changes();
  received_tick_ = tick;
  list_own(received);
  if (own_.empty()) return;
  received_number_ = own_.front().number;
  for (const Own& own : own_) {
    if (steps(received_number_, own.number) < 0) received_number_ = own.number;
  }
  if (!replays_all_ && is_confirmed(received)) return keep_predicted();
  std::vector<std::vector<ByteVector>> shown_before;
  for (Own& own : own_) {
    std::vector<ByteVector>& values = shown_before.emplace_back();
    for (const State& state : own.states) values.push_back(state.now);
  }
  replay();
  for (std::size_t i = 0; i < own_.size(); ++i) correct(own_[i], now, shown_before[i]);
}

void OwnPrediction::replay() {
  const std::int32_t count = steps(received_number_, newest_);
  if (count <= 0 || count >= static_cast<std::int32_t>(kReplayedMax)) {
    for (Own& own : own_) own.predicted_numbers = {};
    return capture(received_number_);
  }
  capture(received_number_);
  for (std::uint32_t number = received_number_ + 1; number != newest_ + 1; ++number) {
    if (number == newest_) {
      for (Own& own : own_) {
        for (State& state : own.states) state.before = state.now;
      }
    }
    run_tick(number);
    capture(number);
    ++replayed_ticks_;
  }
}

void OwnPrediction::correct(Own& own, Time now, std::span<const ByteVector> old) {
  for (std::size_t i = 0; i < own.states.size(); ++i) {
    State& state = own.states[i];
    const ComponentDescription& description = world_.storage(state.component).description();
    const auto difference = first_difference(description, old[i], state.now);
    if (!difference) continue;
    ++corrections_;
    problems_.add({.kind = ProblemKind::mispredicted,
                   .tick = received_tick_,
                   .entity = own.entity,
                   .player = player_,
                   .component = description.name,
                   .field = difference->field->name,
                   .difference = difference->amount,
                   .text = "the server computed another value"});
    state.blend_from = old[i];
    state.corrected_at = now;
    state.is_blending = true;
  }
}

/// Fields that are not interpolated have their newest value.
void OwnPrediction::blend(const ComponentDescription& description, Bytes from, Bytes to,
                          float fraction, std::span<std::byte> out) const {
  interpolate(description, from, to, fraction, out);
  for (const FieldDescription& field : description.fields) {
    if (field.interpolation != Interpolation::step) continue;
    const std::size_t bytes = std::size_t{field.element_bytes} * field.count;
    std::memcpy(out.data() + field.offset_bytes, to.data() + field.offset_bytes, bytes);
  }
}

bool OwnPrediction::shown(EntityId entity, ComponentId component, float fraction, Time now,
                          std::span<std::byte> out) const {
  const auto own = std::ranges::lower_bound(own_, entity, {}, &Own::entity);
  if (own == own_.end() || own->entity != entity) return false;
  const auto state = std::ranges::find(own->states, component, &State::component);
  if (state == own->states.end()) return false;
  const ComponentDescription& description = world_.storage(component).description();
  std::ranges::copy(state->now, out.begin());
  blend(description, state->before, state->now, fraction, out);
  const Duration since = now - state->corrected_at;
  if (state->is_blending && since < kBlend) {
    const ByteVector target(out.begin(), out.end());
    const float done = static_cast<float>(since.count()) / static_cast<float>(kBlend.count());
    blend(description, state->blend_from, target, std::clamp(done, 0.0F, 1.0F), out);
  }
  return true;
}

bool OwnPrediction::is_predicted(EntityId entity) const {
  const auto own = std::ranges::lower_bound(own_, entity, {}, &Own::entity);
  return own != own_.end() && own->entity == entity && !own->states.empty();
}

}  // namespace muster
