// Codes one entity's new state as a series of decisions. The same code encodes, decodes, counts
// bits and trains, depending on its coder. The coder returns the outcome of each decision. An
// encoder returns the bit that was passed to it, and a decoder returns the bit that it reads. See
// SNAPSHOT_FORMAT.md, "Entities".
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <optional>
#include <span>

#include "net/snapshot/decision_coder.h"
#include "net/snapshot/lane_features.h"
#include "net/snapshot/rotation_frame.h"
#include "net/snapshot/slots.h"
#include "net/snapshot/value_code.h"

namespace muster {

/// Returns the slot of the decision whether an entity differs from its newest known state.
std::uint32_t changed_slot(const TypeModel& type, const KnownStates& known, bool follows_changed);

/// Codes states of entities of one type.
template <DecisionCoder Coder>
class EntityCode {
 public:
  EntityCode(Coder& coder, const TypeModel& type, EntityScratch& scratch)
      : coder_(coder), type_(type), scratch_(scratch) {}

  /// Codes a state of an entity without known states. Returns false when a decoder reads a value
  /// that no encoder writes.
  bool code_new(std::span<LaneValue> values);
  /// Codes a state against known states. Returns false in the same case as `code_new`. `values`
  /// should differ from the newest known state in at least one lane: an unchanged state is coded
  /// correctly, but wastes bits. Requires: `known.count > 0`.
  bool code_update(const KnownStates& known, std::span<LaneValue> values);

 private:
  static constexpr bool kDecodes = Coder::kDecodes;

  bool code_symbol(std::size_t lane);
  bool code_tick(std::size_t lane);
  // These functions are inlined: each has one caller, and together they take most of a snapshot's
  // time.
  [[gnu::always_inline]] inline bool code_lane(std::size_t lane);
  [[gnu::always_inline]] inline bool code_number(const LaneModel& model, std::size_t lane,
                                                 std::int64_t newest, const LaneMotion& motion);
  [[gnu::always_inline]] inline Prediction predict_lane(const LaneModel& model,
                                                        const LaneMotion& motion);
  [[gnu::always_inline]] inline std::int64_t code_residual(const LaneModel& model, std::size_t lane,
                                                           std::int64_t newest,
                                                           const LaneMotion& motion,
                                                           const Prediction& prediction);
  [[gnu::always_inline]] inline bool put_number(const LaneModel& model, std::size_t lane,
                                                std::int64_t number);

  void see_number(std::size_t lane, std::int64_t newest, const LaneMotion& motion,
                  const Prediction& prediction, std::int32_t size);
  void see_symbol(std::size_t lane, std::int64_t since);

  LanePast past_of(std::size_t lane) const;
  [[gnu::always_inline]] inline const LaneMotion& motion_in(const LaneModel& model,
                                                            std::size_t lane, std::int64_t& newest);
  std::uint32_t changed_partners(const LaneModel& model) const;
  void note(std::size_t lane, bool changed);
  std::uint32_t age_of(std::size_t lane) const;

  Coder& coder_;
  const TypeModel& type_;
  EntityScratch& scratch_;
  const KnownStates* known_ = nullptr;
  std::optional<RotationFrame> frame_;  ///< Empty if all states drop the same component.
  std::span<LaneValue> values_;
  LaneMotion motion_;  ///< The motion of the current lane, if it moves.
  SizeHints hints_;
  EntityNews entity_;
};

/// Codes whether an entity differs from the newest known state.
template <DecisionCoder Coder>
bool code_changed(Coder& coder, const TypeModel& type, const KnownStates& known,
                  bool follows_changed, bool changed) {
  const std::uint32_t slot = changed_slot(type, known, follows_changed);
  if constexpr (ContextCoder<Coder>) {
    coder.see_in(changed_contexts(type, known, follows_changed));
  }
  return decide(coder, slot, 0, changed);
}

template <DecisionCoder Coder>
bool EntityCode<Coder>::code_new(std::span<LaneValue> values) {
  values_ = values;
  for (const std::uint16_t lane : type_.order) {
    std::uint32_t slot = type_.lanes[lane].first_slot;
    // New entities have few decisions, and no history for contexts.
    if constexpr (ContextCoder<Coder>) coder_.see_in({});
    switch (type_.lanes[lane].kind) {
      case LaneKind::symbol:
      case LaneKind::dropped:
      case LaneKind::opaque:
        slot += slots::kSymbolNew;
        break;
      case LaneKind::tick:
        slot += slots::kTickNew;
        break;
      default:
        slot += slots::kNew;
    }
    if (!code_whole(coder_, type_.lanes[lane], slot, values_[lane])) return false;
  }
  return true;
}

template <DecisionCoder Coder>
bool EntityCode<Coder>::code_update(const KnownStates& known, std::span<LaneValue> values) {
  assert(known.count > 0 && known.count <= kMaxKnownStates);
  known_ = &known;
  values_ = values;
  hints_ = SizeHints{.ticks_since_event = 255, .event_log = log_of(255)};
  prepare_scratch(type_.lanes.size(), known, scratch_);
  if constexpr (ContextCoder<Coder>) {
    entity_ = {};
    for (std::size_t lane = 0; known.count > 1 && lane < type_.lanes.size(); ++lane) {
      entity_.activity += known.values[0][lane] != known.values[1][lane] ? 1U : 0U;
    }
  }
  for (const std::uint16_t lane : type_.order) {
    if (!code_lane(lane)) return false;
  }
  return true;
}

template <DecisionCoder Coder>
bool EntityCode<Coder>::code_lane(std::size_t lane) {
  const LaneModel& model = type_.lanes[lane];
  switch (model.kind) {
    case LaneKind::symbol:
    case LaneKind::opaque:
      return code_symbol(lane);
    case LaneKind::dropped:
      if (!code_symbol(lane)) return false;
      frame_.reset();
      if (scratch_.changed_bits[lane] != 0 || values_[lane] != known_->values[0][lane]) {
        frame_.emplace(*known_, lane, values_[lane], type_.schema.lanes[lane],
                       type_.schema.lanes[lane + 1]);
      }
      return true;
    case LaneKind::tick:
      return code_tick(lane);
    case LaneKind::rotation:
    case LaneKind::number:
    case LaneKind::angle:
      break;
  }
  std::int64_t newest = known_->values[0][lane];
  const LaneMotion& motion = motion_in(model, lane, newest);
  return code_number(model, lane, newest, motion);
}

/// Returns the motion of a lane. If the known states are converted to another rotation frame, sets
/// `newest` to the converted value.
template <DecisionCoder Coder>
const LaneMotion& EntityCode<Coder>::motion_in(const LaneModel& model, std::size_t lane,
                                               std::int64_t& newest) {
  const StateSpacing& spacing = scratch_.spacing;
  if (model.kind == LaneKind::rotation && frame_.has_value()) {
    const LanePast& past = frame_->past(lane);
    newest = past[0];
    motion_ = motion_of(past, spacing, 0);
  } else if (scratch_.changed_bits[lane] == 0) {
    return scratch_.constant;
  } else if (std::int64_t{model.maximum} <= spacing.plain_maximum) {
    motion_of_steps(scratch_.steps[lane / kLanesTogether], lane % kLanesTogether, spacing,
                    model.period, motion_);
  } else {
    motion_ = motion_of(past_of(lane), spacing, model.period);
  }
  return motion_;
}

template <DecisionCoder Coder>
LanePast EntityCode<Coder>::past_of(std::size_t lane) const {
  LanePast past{};
  for (std::size_t k = 0; k < known_->count; ++k) past[k] = known_->values[k][lane];
  return past;
}

/// Returns how many states before the newest one also have the lane's newest value, at most 3.
/// Returns 4 if all known states have this value.
template <DecisionCoder Coder>
std::uint32_t EntityCode<Coder>::age_of(std::size_t lane) const {
  if (scratch_.changed_bits[lane] == 0) return 4;
  std::uint32_t back = 1;
  while (back < 4 && known_->values[back][lane] == known_->values[0][lane]) ++back;
  return back - 1;
}

template <DecisionCoder Coder>
std::uint32_t EntityCode<Coder>::changed_partners(const LaneModel& model) const {
  static_assert(kMaxChangePartners == 3);
  const auto changed = [&](std::size_t i) {
    return scratch_.news[model.change_partners[i]].changed ? 1U << i : 0U;
  };
  // Unused entries of `change_partners` contain lane 0.
  return (changed(0) | changed(1) | changed(2)) & ((1U << model.change_partner_count) - 1);
}

template <DecisionCoder Coder>
void EntityCode<Coder>::note(std::size_t lane, bool changed) {
  scratch_.news[lane] = LaneNews{.changed = changed};
  if constexpr (ContextCoder<Coder>) {
    scratch_.missed[lane] = 0;
    entity_.changed_set = entity_.changed_set << 1 | (changed ? 1U : 0U);
  }
  if (changed) ++hints_.changed_count;
}

template <DecisionCoder Coder>
bool EntityCode<Coder>::code_symbol(std::size_t lane) {
  const LaneModel& model = type_.lanes[lane];
  const auto so_far = static_cast<std::uint32_t>(std::min(hints_.changed_count, 3));
  const std::uint32_t slot =
      slots::kSymbolChanged + (age_of(lane) * 8 + changed_partners(model)) * 4 + so_far;
  const LaneValue before = known_->values[0][lane];
  if constexpr (ContextCoder<Coder>) see_symbol(lane, 0);
  const bool changed = decide(coder_, model.first_slot + slot, 0, values_[lane] != before);
  note(lane, changed);
  if (!changed) {
    values_[lane] = before;
    if (model.maximum < slots::kTreeMax) entity_.symbols = stir(entity_.symbols, before);
    return true;
  }
  const auto bits = static_cast<unsigned>(std::bit_width(model.maximum));
  if (model.maximum >= slots::kTreeMax)
    return code_whole(coder_, model, model.first_slot + slots::kSymbolNew, values_[lane]);
  const std::uint32_t tree = model.first_slot + slots::kSymbolTree + before * slots::kTreeMax;
  values_[lane] = static_cast<LaneValue>(code_tree(coder_, tree, bits, values_[lane]));
  entity_.symbols = stir(entity_.symbols, values_[lane]);
  return values_[lane] <= model.maximum;
}

template <DecisionCoder Coder>
bool EntityCode<Coder>::code_tick(std::size_t lane) {
  const LaneModel& model = type_.lanes[lane];
  const std::int64_t count = std::int64_t{model.maximum} + 1;
  const auto so_far = static_cast<std::uint32_t>(std::min(hints_.changed_count, 3));
  const std::uint32_t age = age_of(lane);
  const std::uint32_t slot = (age * 8 + changed_partners(model)) * 4 + so_far;
  const LaneValue before = known_->values[0][lane];
  // A lane of few bits contains the low bits of a tick, so ages wrap, too.
  const auto round = [&](std::int64_t ticks) { return (ticks % count + count) % count; };
  const std::int64_t now = known_->now.value();
  std::int64_t since = round(now - values_[lane]);
  const std::int64_t since_before = round(std::int64_t{known_->ticks[0].value()} - before);
  if constexpr (ContextCoder<Coder>) see_symbol(lane, since_before);
  const bool changed =
      decide(coder_, model.first_slot + slots::kTickChanged + slot, 0, values_[lane] != before);
  note(lane, changed);
  if (!changed) {
    since = round(now - before);
  } else if (decide(coder_, model.first_slot + slots::kTickSameAge + std::min(age, 3U), 1,
                    since == since_before)) {
    since = since_before;
  } else {
    const std::uint32_t first = model.first_slot + slots::kTickAge;
    since = static_cast<std::int64_t>(code_magnitude(coder_, first, first + slots::kLengths,
                                                     static_cast<std::uint64_t>(since) + 1)) -
            1;
    if (since >= count) return false;
  }
  values_[lane] = changed ? static_cast<LaneValue>(round(now - since)) : before;
  if (since < hints_.ticks_since_event) {
    hints_.ticks_since_event = static_cast<std::int32_t>(since);
    hints_.event_log = log_of(since);
  }
  return true;
}

template <DecisionCoder Coder>
Prediction EntityCode<Coder>::predict_lane(const LaneModel& model, const LaneMotion& motion) {
  const FeatureWeights& weights = model.weights[motion.steadiness];
  std::int64_t sum = std::int64_t{weights[kOwnFeatures - 1]} << kFeatureBits;
  if (!motion.is_constant)
    sum += weighted<kMaxKnownStates - 1>(weights.data(), motion.steps.data());
  std::array<std::int64_t, kFeaturesPerPartner> features;
  static constexpr Turn kNoTurn;
  for (std::size_t i = 0; i < model.partner_count; ++i) {
    const Partner& partner = model.partners[i];
    const LaneNews& other = scratch_.news[partner.lane];
    if (partner.kind != PartnerKind::turn && !other.moves()) continue;
    const Turn* turn = &kNoTurn;
    if (partner.kind != PartnerKind::difference) {
      LaneNews& angle = scratch_.news[partner.angle];
      turn = &scratch_.turns[partner.angle];
      if (!angle.has_turn) {
        scratch_.turns[partner.angle] = turn_of(
            type_.lanes[partner.angle], known_->values[0][partner.angle], values_[partner.angle]);
        angle.has_turn = true;
      }
    }
    partner_features(partner.kind, other, *turn, features.data());
    sum += weighted<kFeaturesPerPartner>(weights.data() + kOwnFeatures + i * kFeaturesPerPartner,
                                         features.data());
  }
  return rounded(sum);
}

template <DecisionCoder Coder>
bool EntityCode<Coder>::code_number(const LaneModel& model, std::size_t lane, std::int64_t newest,
                                    const LaneMotion& motion) {
  Prediction prediction = predict_lane(model, motion);
  std::int64_t target = newest + prediction.steps;
  const std::int64_t low = -std::int64_t{model.period};
  const std::int64_t high = std::int64_t{model.maximum} - low;
  if (target < low || target > high) {
    target = std::clamp(target, low, high);
    prediction = {.steps = target - newest, .remainder = 0};
  }
  const std::int64_t residual = code_residual(model, lane, newest, motion, prediction);
  if (!put_number(model, lane, target + residual)) return false;
  const std::int64_t moved = cyclic_difference(newest, values_[lane], model.period);
  const std::int32_t missed_log = log_of(residual);
  scratch_.news[lane] = {
      .moved = std::clamp(moved * (1 << kFeatureBits), -kFeatureMax, kFeatureMax),
      .step0 = motion.steps[0],
      .step1 = motion.steps[1],
      .missed_log = missed_log,
      .changed = moved != 0};
  if (moved != 0) ++hints_.changed_count;
  hints_.last_but_one_log = hints_.last_missed_log;
  hints_.last_missed_log = missed_log;
  if constexpr (ContextCoder<Coder>) {
    scratch_.missed[lane] = residual;
    entity_.last_but_one_missed = entity_.last_missed;
    entity_.last_missed = residual;
    entity_.changed_set = entity_.changed_set << 1 | (moved != 0 ? 1U : 0U);
  }
  return true;
}

template <DecisionCoder Coder>
void EntityCode<Coder>::see_number(std::size_t lane, std::int64_t newest, const LaneMotion& motion,
                                   const Prediction& prediction, std::int32_t size) {
  const LaneModel& model = type_.lanes[lane];
  const auto missed = [&](std::size_t i) {
    if (i >= model.partner_count) return std::int64_t{0};
    const Partner& partner = model.partners[i];
    return scratch_.missed[partner.kind == PartnerKind::turn ? partner.angle : partner.lane];
  };
  coder_.see_in(number_contexts({.model = model,
                                 .motion = motion,
                                 .prediction = prediction,
                                 .hints = hints_,
                                 .entity = entity_,
                                 .horizon = scratch_.spacing.horizon,
                                 .newest = newest,
                                 .size = size,
                                 .partners = changed_partners(model),
                                 .partner_missed = missed(0),
                                 .next_partner_missed = missed(1)}));
}

template <DecisionCoder Coder>
void EntityCode<Coder>::see_symbol(std::size_t lane, std::int64_t since) {
  const LaneModel& model = type_.lanes[lane];
  const LaneValue newest = known_->values[0][lane];
  std::uint32_t back = 1;
  while (back < known_->count && known_->values[back][lane] == newest) ++back;
  const bool is_changed = back < known_->count;
  coder_.see_in(symbol_contexts(
      {.model = model,
       .hints = hints_,
       .entity = entity_,
       .horizon = scratch_.spacing.horizon,
       .newest = model.kind == LaneKind::tick ? 0 : newest,
       .before = is_changed && model.kind != LaneKind::tick ? known_->values[back][lane] : newest,
       .age = is_changed ? back : 0,
       .partners = changed_partners(model),
       .partner_value =
           model.change_partner_count > 0 ? values_[model.change_partners[0]] : LaneValue{0},
       .since = since}));
}

/// Codes the difference between a lane's value and its prediction.
template <DecisionCoder Coder>
std::int64_t EntityCode<Coder>::code_residual(const LaneModel& model, std::size_t lane,
                                              std::int64_t newest, const LaneMotion& motion,
                                              const Prediction& prediction) {
  const std::int64_t residual =
      cyclic_difference(newest + prediction.steps, values_[lane], model.period);

  constexpr int kBits = kWeightBits + kFeatureBits;
  const bool hardly_moves = std::abs(prediction.sum()) < (1 << kBits) / 50;
  const bool is_certain = motion.is_constant && hardly_moves;
  const auto fraction = static_cast<std::uint32_t>(
      hardly_moves ? 8 : ((prediction.remainder + (1 << (kBits - 1))) * 8) >> kBits);
  const std::uint32_t partners = changed_partners(model);
  std::uint32_t level = 0;
  std::int32_t size = -64;  // The size if the value is certain.
  if (!is_certain) {
    std::int32_t sum = 0;
    SizeInputs sizes{};
    add_size_features(model, motion, prediction, hints_, scratch_.spacing.horizon_log,
                      scratch_.news.data(), partners, [&](std::size_t input, std::int32_t value) {
                        sum += model.size_weights[input] * value;
                        if constexpr (PredictionWatcher<Coder>) {
                          sizes[input] = static_cast<std::int16_t>(sizes[input] + value);
                        }
                      });
    size = expected_size(sum);
    level = size_level(size);
    if constexpr (PredictionWatcher<Coder>) {
      coder_.see({.lane = lane,
                  .missed = std::abs(residual * (1 << kBits) - prediction.remainder),
                  .sizes = sizes});
    }
  }

  const std::uint32_t first = model.first_slot;
  const std::uint32_t constant = motion.is_constant ? 1U : 0U;
  const std::uint32_t wrong =
      is_certain ? slots::kLevels * slots::kFractions * 2 +
                       (partners * 2 + (hints_.last_missed_log != 0 ? 1U : 0U)) * 2 +
                       (hints_.changed_count != 0 ? 1U : 0U)
                 : (constant * slots::kLevels + level) * slots::kFractions + fraction;
  if constexpr (ContextCoder<Coder>) see_number(lane, newest, motion, prediction, size);
  if (!decide(coder_, first + slots::kWrong + wrong, 0, residual != 0)) return 0;
  const std::uint32_t circumstance = is_certain ? 0 : 2 - constant;
  const auto direction = static_cast<std::uint32_t>(motion.direction + 1);
  const std::uint32_t side = (circumstance * slots::kFractions + fraction) * 3 + direction;
  const bool is_negative = decide(coder_, first + slots::kSide + side, 1, residual < 0);
  const std::uint32_t changed_partner_count =
      (partners & 1) + (partners >> 1 & 1) + (partners >> 2);
  const std::uint32_t lengths = is_certain ? slots::kLevels + changed_partner_count : level;
  const auto magnitude = static_cast<std::int64_t>(
      code_magnitude(coder_, first + slots::kLength + lengths * slots::kLengths,
                     first + slots::kLowBits, static_cast<std::uint64_t>(std::abs(residual))));
  return is_negative ? -magnitude : magnitude;
}

/// Stores a number. An angle is first reduced to one turn. If two values in the lane's range are
/// the same angle, a decision selects one of them.
template <DecisionCoder Coder>
bool EntityCode<Coder>::put_number(const LaneModel& model, std::size_t lane, std::int64_t number) {
  if (model.period != 0) {
    if (number < 0 || number >= model.period) number %= model.period;
    if (number < 0) number += model.period;
    if (number + model.period <= model.maximum) {
      const std::uint32_t slot = model.first_slot + slots::kOtherSpelling;
      if (decide(coder_, slot, 2, values_[lane] != static_cast<LaneValue>(number))) {
        number += model.period;
      }
    }
  }
  if (number < 0 || number > std::int64_t{model.maximum}) return false;
  values_[lane] = static_cast<LaneValue>(number);
  return true;
}

}  // namespace muster
