// One entity's new state as a string of decisions. The same text encodes, decodes, counts and
// trains: it asks its coder for each decision's outcome, and an encoder answers with the bit that
// it was given, a decoder with the bit that it reads. SNAPSHOT_FORMAT.md, "Entities".
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <span>

#include "net/snapshot/decision_coder.h"
#include "net/snapshot/lane_features.h"
#include "net/snapshot/rotation_frame.h"
#include "net/snapshot/slots.h"

namespace muster {

/// The slot of the decision whether an entity differs from its newest known state.
std::uint32_t changed_slot(const TypeModel& type, const KnownStates& known, bool follows_changed);

/// Codes states of entities of one type.
template <DecisionCoder Coder>
class EntityCode {
 public:
  EntityCode(Coder& coder, const TypeModel& type, EntityScratch& scratch)
      : coder_(coder), type_(type), scratch_(scratch) {}

  /// Codes a state of an entity of which nothing is known. Returns false when a decoder met a value
  /// that no encoder sends.
  bool code_new(std::span<LaneValue> values);
  /// Codes a state against known ones; `values` differs from the newest of them in some lane (the
  /// coder that does not say so wastes bits, but loses nothing). Requires: `known.count > 0`.
  bool code_update(const KnownStates& known, std::span<LaneValue> values);

 private:
  static constexpr bool kDecodes = Coder::kDecodes;
  // Decisions of a lane that share their contexts; 0 to 4 are those made once.
  static constexpr std::uint32_t kNodeOfTree = 8;      // and 15 more
  static constexpr std::uint32_t kNodeOfLengths = 32;  // and 33 more
  static constexpr std::uint32_t kNodeOfLowBits = 72;

  bool code_lane(std::size_t lane);
  bool code_symbol(std::size_t lane);
  bool code_tick(std::size_t lane);
  bool code_number(std::size_t lane, std::int64_t newest, const LaneMotion& motion);
  Prediction predict_lane(const LaneModel& model, const LaneMotion& motion);
  std::int64_t code_residual(std::size_t lane, std::int64_t newest, const LaneMotion& motion,
                             const Prediction& prediction);
  bool put_number(std::size_t lane, std::int64_t number);
  bool code_whole(std::uint32_t first_slot, std::size_t lane);
  std::uint64_t code_magnitude(std::uint32_t lengths, std::uint32_t low, std::uint64_t value);
  std::uint64_t code_tree(std::uint32_t first_slot, unsigned bits, std::uint64_t value);

  void see_number(std::size_t lane, std::int64_t newest, const LaneMotion& motion,
                  const Prediction& prediction, std::int32_t size);
  void see_symbol(std::size_t lane, std::int64_t since);

  LanePast past_of(std::size_t lane) const;
  std::uint32_t changed_partners(const LaneModel& model) const;
  void note(std::size_t lane, bool changed);
  std::uint32_t age_of(std::size_t lane) const;

  Coder& coder_;
  const TypeModel& type_;
  EntityScratch& scratch_;
  const KnownStates* known_ = nullptr;
  RotationFrame frame_;
  std::span<LaneValue> values_;
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
    // Little is said of new entities, and nothing that contexts could know.
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
    if (!code_whole(slot, lane)) return false;
  }
  return true;
}

template <DecisionCoder Coder>
bool EntityCode<Coder>::code_update(const KnownStates& known, std::span<LaneValue> values) {
  assert(known.count > 0 && known.count <= kMaxKnownStates);
  known_ = &known;
  values_ = values;
  hints_ = SizeHints{.ticks_since_event = 255};
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
  const bool rests = scratch_.unrest[lane] == 0;
  switch (model.kind) {
    case LaneKind::symbol:
    case LaneKind::opaque:
      return code_symbol(lane);
    case LaneKind::dropped:
      if (!code_symbol(lane)) return false;
      frame_ = RotationFrame(*known_, lane, values_[lane], type_.schema.lanes[lane],
                             type_.schema.lanes[lane + 1]);
      return true;
    case LaneKind::tick:
      return code_tick(lane);
    case LaneKind::rotation: {
      const LanePast& past = frame_.past(lane);
      return code_number(lane, past[0], motion_of(past, scratch_.spacing, 0));
    }
    case LaneKind::number:
    case LaneKind::angle:
      return code_number(lane, known_->values[0][lane],
                         rests ? motion_at_rest(scratch_.spacing)
                               : motion_of(past_of(lane), scratch_.spacing, model.period));
  }
  return false;
}

template <DecisionCoder Coder>
LanePast EntityCode<Coder>::past_of(std::size_t lane) const {
  LanePast past{};
  for (std::size_t k = 0; k < known_->count; ++k) past[k] = known_->values[k][lane];
  return past;
}

/// How many states back a lane had another value, minus one and at most 3; 4 for never.
template <DecisionCoder Coder>
std::uint32_t EntityCode<Coder>::age_of(std::size_t lane) const {
  if (scratch_.unrest[lane] == 0) return 4;
  std::uint32_t back = 1;
  while (back < 4 && known_->values[back][lane] == known_->values[0][lane]) ++back;
  return back - 1;
}

template <DecisionCoder Coder>
std::uint32_t EntityCode<Coder>::changed_partners(const LaneModel& model) const {
  std::uint32_t set = 0;
  for (std::size_t i = 0; i < model.change_partner_count; ++i) {
    if (scratch_.news[model.change_partners[i]].changed) set |= 1U << i;
  }
  return set;
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
  const auto so_far = static_cast<std::uint32_t>(std::min<std::int64_t>(hints_.changed_count, 3));
  const std::uint32_t slot =
      slots::kSymbolChanged + (age_of(lane) * 8 + changed_partners(model)) * 4 + so_far;
  const LaneValue before = known_->values[0][lane];
  if constexpr (ContextCoder<Coder>) see_symbol(lane, 0);
  const bool changed = decide(coder_, model.first_slot + slot, 0, values_[lane] != before);
  note(lane, changed);
  if (!changed) {
    values_[lane] = before;
    if (model.greatest < slots::kTreeMax) entity_.symbols = stir(entity_.symbols, before);
    return true;
  }
  const auto bits = static_cast<unsigned>(std::bit_width(model.greatest));
  if (model.greatest >= slots::kTreeMax)
    return code_whole(model.first_slot + slots::kSymbolNew, lane);
  const std::uint32_t tree = model.first_slot + slots::kSymbolTree + before * slots::kTreeMax;
  values_[lane] = static_cast<LaneValue>(code_tree(tree, bits, values_[lane]));
  entity_.symbols = stir(entity_.symbols, values_[lane]);
  return values_[lane] <= model.greatest;
}

template <DecisionCoder Coder>
bool EntityCode<Coder>::code_tick(std::size_t lane) {
  const LaneModel& model = type_.lanes[lane];
  const std::int64_t count = std::int64_t{model.greatest} + 1;
  const auto so_far = static_cast<std::uint32_t>(std::min<std::int64_t>(hints_.changed_count, 3));
  const std::uint32_t age = age_of(lane);
  const std::uint32_t slot = (age * 8 + changed_partners(model)) * 4 + so_far;
  const LaneValue before = known_->values[0][lane];
  // A lane of few bits keeps the low end of a tick, so ages go round as well.
  const auto round = [&](std::int64_t ticks) { return (ticks % count + count) % count; };
  const std::int64_t now = known_->now;
  std::int64_t since = round(now - values_[lane]);
  const std::int64_t since_before = round(std::int64_t{known_->ticks[0]} - before);
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
    since = static_cast<std::int64_t>(code_magnitude(first, first + slots::kLengths,
                                                     static_cast<std::uint64_t>(since) + 1)) -
            1;
    if (since >= count) return false;
  }
  values_[lane] = changed ? static_cast<LaneValue>(round(now - since)) : before;
  hints_.ticks_since_event = std::min(hints_.ticks_since_event, std::min<std::int64_t>(since, 255));
  return true;
}

template <DecisionCoder Coder>
Prediction EntityCode<Coder>::predict_lane(const LaneModel& model, const LaneMotion& motion) {
  const FeatureWeights& weights = model.weights[motion.steadiness];
  std::int64_t sum = std::int64_t{weights[kOwnFeatures - 1]} << kFeatureBits;
  if (!motion.rests) sum += weighted(weights.data(), motion.steps.data(), motion.steps.size());
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
    sum += weighted(weights.data() + kOwnFeatures + i * kFeaturesPerPartner, features.data(),
                    kFeaturesPerPartner);
  }
  return rounded(sum);
}

template <DecisionCoder Coder>
bool EntityCode<Coder>::code_number(std::size_t lane, std::int64_t newest,
                                    const LaneMotion& motion) {
  const LaneModel& model = type_.lanes[lane];
  Prediction prediction = predict_lane(model, motion);
  // What cannot be is not predicted.
  std::int64_t target = newest + prediction.steps;
  const std::int64_t low = -std::int64_t{model.period};
  const std::int64_t high = std::int64_t{model.greatest} - low;
  if (target < low || target > high) {
    target = std::clamp(target, low, high);
    prediction = {.steps = target - newest, .rest = 0};
  }
  const std::int64_t residual = code_residual(lane, newest, motion, prediction);
  if (!put_number(lane, target + residual)) return false;
  const std::int64_t moved = way(newest, values_[lane], model.period);
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

/// Codes by how much a lane misses what is predicted.
template <DecisionCoder Coder>
std::int64_t EntityCode<Coder>::code_residual(std::size_t lane, std::int64_t newest,
                                              const LaneMotion& motion,
                                              const Prediction& prediction) {
  const LaneModel& model = type_.lanes[lane];
  const std::int64_t residual = way(newest + prediction.steps, values_[lane], model.period);

  constexpr int kBits = kWeightBits + kFeatureBits;
  const bool hardly_moves = std::abs(prediction.sum()) < (1 << kBits) / 50;
  const bool is_certain = motion.rests && hardly_moves;
  const auto fraction = static_cast<std::uint32_t>(
      hardly_moves ? 8 : ((prediction.rest + (1 << (kBits - 1))) * 8) >> kBits);
  std::uint32_t level = 0;
  std::int32_t size = -64;  // Of what is certain.
  if (!is_certain) {
    const SizeInputs sizes =
        size_features(model, motion, prediction, hints_, scratch_.spacing.horizon, scratch_.news);
    size = expected_size(model.size_weights, sizes);
    level = size_level(size);
    if constexpr (PredictionWatcher<Coder>) {
      coder_.see({.lane = lane,
                  .missed = std::abs(residual * (1 << kBits) - prediction.rest),
                  .sizes = sizes});
    }
  }

  const std::uint32_t partners = changed_partners(model);
  const std::uint32_t first = model.first_slot;
  const std::uint32_t rests = motion.rests ? 1U : 0U;
  const std::uint32_t wrong =
      is_certain ? slots::kLevels * slots::kFractions * 2 +
                       (partners * 2 + (hints_.last_missed_log != 0 ? 1U : 0U)) * 2 +
                       (hints_.changed_count != 0 ? 1U : 0U)
                 : (rests * slots::kLevels + level) * slots::kFractions + fraction;
  if constexpr (ContextCoder<Coder>) see_number(lane, newest, motion, prediction, size);
  if (!decide(coder_, first + slots::kWrong + wrong, 0, residual != 0)) return 0;
  const std::uint32_t circumstance = is_certain ? 0 : 2 - rests;
  const auto direction = static_cast<std::uint32_t>(motion.direction + 1);
  const std::uint32_t side = (circumstance * slots::kFractions + fraction) * 3 + direction;
  const bool is_negative = decide(coder_, first + slots::kSide + side, 1, residual < 0);
  const std::uint32_t changed_partner_count =
      (partners & 1) + (partners >> 1 & 1) + (partners >> 2);
  const std::uint32_t lengths = is_certain ? slots::kLevels + changed_partner_count : level;
  const auto magnitude = static_cast<std::int64_t>(
      code_magnitude(first + slots::kLength + lengths * slots::kLengths, first + slots::kLowBits,
                     static_cast<std::uint64_t>(std::abs(residual))));
  return is_negative ? -magnitude : magnitude;
}

/// Puts a number in place, one spelling of those that differ by a whole turn.
template <DecisionCoder Coder>
bool EntityCode<Coder>::put_number(std::size_t lane, std::int64_t number) {
  const LaneModel& model = type_.lanes[lane];
  if (model.period != 0) {
    number %= model.period;
    if (number < 0) number += model.period;
    if (number + model.period <= model.greatest) {
      const std::uint32_t slot = model.first_slot + slots::kOtherSpelling;
      if (decide(coder_, slot, 2, values_[lane] != static_cast<LaneValue>(number))) {
        number += model.period;
      }
    }
  }
  if (number < 0 || number > std::int64_t{model.greatest}) return false;
  values_[lane] = static_cast<LaneValue>(number);
  return true;
}

/// Codes a value of which nothing is known but what is usual.
template <DecisionCoder Coder>
bool EntityCode<Coder>::code_whole(std::uint32_t first_slot, std::size_t lane) {
  const LaneModel& model = type_.lanes[lane];
  const std::int64_t usual = model.usual;
  if (!decide(coder_, first_slot, 3, values_[lane] != usual)) {
    values_[lane] = static_cast<LaneValue>(usual);
    return true;
  }
  if (model.kind == LaneKind::opaque) {
    std::uint64_t value = 0;
    for (auto i = static_cast<unsigned>(std::bit_width(model.greatest)); i-- > 0;) {
      value = value * 2 + (coder_.even_bit(((values_[lane] >> i) & 1) != 0) ? 1 : 0);
    }
    if (value > model.greatest) return false;
    values_[lane] = static_cast<LaneValue>(value);
    return true;
  }
  const std::int64_t off = std::int64_t{values_[lane]} - usual;
  const bool is_less = decide(coder_, first_slot + 1, 4, off < 0);
  const auto magnitude = static_cast<std::int64_t>(code_magnitude(
      first_slot + 2, first_slot + 2 + slots::kLengths, static_cast<std::uint64_t>(std::abs(off))));
  const std::int64_t value = is_less ? usual - magnitude : usual + magnitude;
  if (value < 0 || value > std::int64_t{model.greatest}) return false;
  values_[lane] = static_cast<LaneValue>(value);
  return true;
}

/// Codes a number of at least 1 and at most 33 bits: its length in unary, the bits behind the
/// first.
template <DecisionCoder Coder>
std::uint64_t EntityCode<Coder>::code_magnitude(std::uint32_t lengths, std::uint32_t low,
                                                std::uint64_t value) {
  constexpr unsigned kLongest = 33;
  unsigned length = 1;
  const auto whole = static_cast<unsigned>(std::bit_width(value));
  while (length < kLongest && decide(coder_, lengths + std::min(length, slots::kLengths) - 1,
                                     kNodeOfLengths + length, whole > length)) {
    ++length;
  }
  const std::uint32_t nodes = low + (std::min(length, slots::kLengths) - 1) * slots::kLowNodes;
  std::uint64_t result = 1;
  for (unsigned done = 0; done + 1 < length; ++done) {
    const bool bit = ((value >> (length - 2 - done)) & 1) != 0;
    // Seven nodes: one, two, four for the first, second, third bit behind the leading one.
    const auto node = static_cast<std::uint32_t>(result - 1);
    const bool is_even = done >= 3;
    result = result * 2 +
             ((is_even ? coder_.even_bit(bit)
                       : decide(coder_, nodes + node, kNodeOfLowBits + length * 8 + node, bit))
                  ? 1
                  : 0);
  }
  return result;
}

template <DecisionCoder Coder>
std::uint64_t EntityCode<Coder>::code_tree(std::uint32_t first_slot, unsigned bits,
                                           std::uint64_t value) {
  std::uint32_t node = 1;
  for (unsigned i = bits; i-- > 0;) {
    const bool bit = ((value >> i) & 1) != 0;
    node = node * 2 + (decide(coder_, first_slot + node, kNodeOfTree + node, bit) ? 1 : 0);
  }
  return node - (1U << bits);
}

}  // namespace muster
