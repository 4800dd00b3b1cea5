// One entity's new state as a string of decisions. The same text encodes, decodes, counts and
// trains: it asks its coder for each decision's outcome, and an encoder answers with the bit that
// it was given, a decoder with the bit that it reads. SNAPSHOT_FORMAT.md, "Entities".
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <concepts>
#include <limits>
#include <span>
#include <vector>

#include "net/snapshot/lane_features.h"
#include "net/snapshot/rotation_frame.h"
#include "net/snapshot/slots.h"

namespace muster {

/// Makes or takes decisions.
/// - `bit(slot, value)`: a decision with a known probability; returns its outcome.
/// - `even_bit(value)`: one without.
/// - `kDecodes`: the values given mean nothing, the outcomes do.
template <typename C>
concept DecisionCoder = requires(C& coder, std::uint32_t slot, bool value) {
  { coder.bit(slot, value) } -> std::same_as<bool>;
  { coder.even_bit(value) } -> std::same_as<bool>;
  { C::kDecodes } -> std::convertible_to<bool>;
};

/// What a trainer sees of each prediction whose size is guessed, besides the decisions.
struct PredictionSeen {
  std::size_t lane = 0;
  std::int64_t missed = 0;  ///< By how much, in units of the prediction.
  const std::array<std::int32_t, kSizeFeatures>& sizes;
};
template <typename C>
concept PredictionWatcher = requires(C& coder, const PredictionSeen& seen) {
  coder.see(seen);
};

/// Memory that coding an entity needs, kept between entities so that none is allocated.
struct EntityScratch {
  std::vector<LaneNews> news;
};

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

  bool code_lane(std::size_t lane);
  bool code_symbol(std::size_t lane, const LanePast& past);
  bool code_tick(std::size_t lane, const LanePast& past);
  bool code_number(std::size_t lane, const LanePast& past);
  bool code_residual(std::size_t lane, const LaneMotion& motion, std::int64_t target,
                     const Prediction& prediction);
  bool put_number(std::size_t lane, std::int64_t number);
  bool code_whole(std::uint32_t first_slot, std::size_t lane);
  std::uint64_t code_magnitude(std::uint32_t lengths, std::uint32_t low, std::uint64_t value);
  std::uint64_t code_tree(std::uint32_t first_slot, unsigned bits, std::uint64_t value);

  LanePast past_of(std::size_t lane) const;
  std::uint32_t changed_partners(const LaneModel& model) const;
  void note(std::size_t lane, bool changed);
  static std::uint32_t age_of(const LanePast& past, std::size_t count);

  Coder& coder_;
  const TypeModel& type_;
  EntityScratch& scratch_;
  const KnownStates* known_ = nullptr;
  StateSpacing spacing_;
  RotationFrame frame_;
  std::span<LaneValue> values_;
  SizeHints hints_;
};

template <DecisionCoder Coder>
bool EntityCode<Coder>::code_new(std::span<LaneValue> values) {
  values_ = values;
  for (const std::uint16_t lane : type_.order) {
    const LaneSchema& schema = type_.schema.lanes[lane];
    std::uint32_t slot = type_.lanes[lane].first_slot;
    switch (schema.kind) {
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
  spacing_ = spacing_of(known);
  hints_ = SizeHints{.ticks_since_event = 255};
  scratch_.news.assign(type_.lanes.size(), LaneNews{});
  for (const std::uint16_t lane : type_.order) {
    if (!code_lane(lane)) return false;
  }
  return true;
}

template <DecisionCoder Coder>
bool EntityCode<Coder>::code_lane(std::size_t lane) {
  const LaneSchema& schema = type_.schema.lanes[lane];
  LanePast past = past_of(lane);
  switch (schema.kind) {
    case LaneKind::symbol:
    case LaneKind::opaque:
      return code_symbol(lane, past);
    case LaneKind::dropped:
      if (!code_symbol(lane, past)) return false;
      frame_ = RotationFrame(*known_, lane, values_[lane], schema, type_.schema.lanes[lane + 1]);
      return true;
    case LaneKind::tick:
      return code_tick(lane, past);
    case LaneKind::rotation:
      past = frame_.past(lane);
      return code_number(lane, past);
    case LaneKind::number:
    case LaneKind::angle:
      return code_number(lane, past);
  }
  return false;
}

template <DecisionCoder Coder>
LanePast EntityCode<Coder>::past_of(std::size_t lane) const {
  LanePast past{};
  for (std::size_t k = 0; k < known_->count; ++k) past[k] = known_->values[k][lane];
  return past;
}

template <DecisionCoder Coder>
std::uint32_t EntityCode<Coder>::age_of(const LanePast& past, std::size_t count) {
  for (std::size_t k = 1; k < count; ++k) {
    if (past[k] != past[0]) return std::min<std::uint32_t>(static_cast<std::uint32_t>(k), 4) - 1;
  }
  return 4;
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
  scratch_.news[lane].changed = changed;
  if (changed) ++hints_.changed_count;
}

template <DecisionCoder Coder>
bool EntityCode<Coder>::code_symbol(std::size_t lane, const LanePast& past) {
  const LaneModel& model = type_.lanes[lane];
  const LaneSchema& schema = type_.schema.lanes[lane];
  const auto so_far = static_cast<std::uint32_t>(std::min<std::int64_t>(hints_.changed_count, 3));
  const std::uint32_t slot = slots::kSymbolChanged +
                             (age_of(past, known_->count) * 8 + changed_partners(model)) * 4 +
                             so_far;
  const auto before = static_cast<LaneValue>(past[0]);
  const bool changed = coder_.bit(model.first_slot + slot, values_[lane] != before);
  note(lane, changed);
  if (!changed) {
    values_[lane] = before;
    return true;
  }
  const auto bits = static_cast<unsigned>(std::bit_width(schema.greatest));
  if (schema.greatest >= slots::kTreeMax)
    return code_whole(model.first_slot + slots::kSymbolNew, lane);
  const std::uint32_t tree = model.first_slot + slots::kSymbolTree + before * slots::kTreeMax;
  values_[lane] = static_cast<LaneValue>(code_tree(tree, bits, values_[lane]));
  return values_[lane] <= schema.greatest;
}

template <DecisionCoder Coder>
bool EntityCode<Coder>::code_tick(std::size_t lane, const LanePast& past) {
  const LaneModel& model = type_.lanes[lane];
  const std::int64_t count = std::int64_t{type_.schema.lanes[lane].greatest} + 1;
  const auto so_far = static_cast<std::uint32_t>(std::min<std::int64_t>(hints_.changed_count, 3));
  const std::uint32_t age = age_of(past, known_->count);
  const std::uint32_t slot = (age * 8 + changed_partners(model)) * 4 + so_far;
  const auto before = static_cast<LaneValue>(past[0]);
  const bool changed =
      coder_.bit(model.first_slot + slots::kTickChanged + slot, values_[lane] != before);
  note(lane, changed);
  // A lane of few bits keeps the low end of a tick, so ages go round as well.
  const auto round = [&](std::int64_t ticks) { return (ticks % count + count) % count; };
  const std::int64_t now = known_->now;
  std::int64_t since = round(now - values_[lane]);
  const std::int64_t since_before = round(std::int64_t{known_->ticks[0]} - before);
  if (!changed) {
    since = round(now - before);
  } else if (coder_.bit(model.first_slot + slots::kTickSameAge + std::min(age, 3U),
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
bool EntityCode<Coder>::code_number(std::size_t lane, const LanePast& past) {
  const LaneModel& model = type_.lanes[lane];
  const LaneSchema& schema = type_.schema.lanes[lane];
  const LaneMotion motion = motion_of(past, spacing_, schema.period);
  std::array<std::int64_t, kMaxFeatures> features;
  const std::size_t count = fill_features(type_, model, motion, scratch_.news, known_->values[0],
                                          values_.data(), features);
  Prediction prediction = predict(model.weights[motion.steadiness], features, count);
  // What cannot be is not predicted.
  std::int64_t target = past[0] + prediction.steps;
  const std::int64_t low = schema.period != 0 ? -std::int64_t{schema.period} : 0;
  const std::int64_t high = std::int64_t{schema.greatest} - low;
  if (target < low || target > high) {
    target = std::clamp(target, low, high);
    prediction = {.steps = target - past[0], .rest = 0};
  }
  LaneNews& news = scratch_.news[lane];
  news.step0 = motion.steps[0];
  news.step1 = motion.steps[1];
  if (!code_residual(lane, motion, target, prediction)) return false;
  const std::int64_t moved = way(past[0], values_[lane], schema.period);
  news.moved = std::clamp(moved * (1 << kFeatureBits), -kFeatureMax, kFeatureMax);
  note(lane, moved != 0);
  return true;
}

/// Codes by how much a lane misses `target`, and puts its value in place.
template <DecisionCoder Coder>
bool EntityCode<Coder>::code_residual(std::size_t lane, const LaneMotion& motion,
                                      std::int64_t target, const Prediction& prediction) {
  const LaneModel& model = type_.lanes[lane];
  const std::uint32_t period = type_.schema.lanes[lane].period;
  std::int64_t residual = way(target, values_[lane], period);

  constexpr int kBits = kWeightBits + kFeatureBits;
  const bool hardly_moves = std::abs(prediction.sum()) < (1 << kBits) / 50;
  const bool is_certain = motion.rests && hardly_moves;
  const auto fraction = static_cast<std::uint32_t>(
      hardly_moves ? 8 : ((prediction.rest + (1 << (kBits - 1))) * 8) >> kBits);
  std::uint32_t level = 0;
  if (!is_certain) {
    const std::array<std::int32_t, kSizeFeatures> sizes =
        size_features(model, motion, prediction, hints_, spacing_.horizon, scratch_.news);
    level = size_level(model.size_weights, sizes);
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
  if (coder_.bit(first + slots::kWrong + wrong, residual != 0)) {
    const std::uint32_t circumstance = is_certain ? 0 : 2 - rests;
    const auto direction = static_cast<std::uint32_t>(motion.direction + 1);
    const std::uint32_t side = (circumstance * slots::kFractions + fraction) * 3 + direction;
    const bool is_negative = coder_.bit(first + slots::kSide + side, residual < 0);
    const std::uint32_t size =
        is_certain ? slots::kLevels + std::min<std::uint32_t>(
                                          static_cast<std::uint32_t>(std::popcount(partners)), 3)
                   : level;
    const std::uint64_t magnitude =
        code_magnitude(first + slots::kLength + size * slots::kLengths, first + slots::kLowBits,
                       static_cast<std::uint64_t>(std::abs(residual)));
    residual =
        is_negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
  } else {
    residual = 0;
  }
  hints_.last_but_one_log = hints_.last_missed_log;
  hints_.last_missed_log = log_of(residual);
  scratch_.news[lane].missed_log = log_of(residual);
  return put_number(lane, target + residual);
}

/// Puts a number in place, one spelling of those that differ by a whole turn.
template <DecisionCoder Coder>
bool EntityCode<Coder>::put_number(std::size_t lane, std::int64_t number) {
  const LaneSchema& schema = type_.schema.lanes[lane];
  if (schema.period != 0) {
    number %= schema.period;
    if (number < 0) number += schema.period;
    if (number + schema.period <= schema.greatest) {
      const std::uint32_t slot = type_.lanes[lane].first_slot + slots::kOtherSpelling;
      if (coder_.bit(slot, values_[lane] != static_cast<LaneValue>(number))) {
        number += schema.period;
      }
    }
  }
  if (number < 0 || number > std::int64_t{schema.greatest}) return false;
  values_[lane] = static_cast<LaneValue>(number);
  return true;
}

/// Codes a value of which nothing is known but what is usual.
template <DecisionCoder Coder>
bool EntityCode<Coder>::code_whole(std::uint32_t first_slot, std::size_t lane) {
  const LaneSchema& schema = type_.schema.lanes[lane];
  const std::int64_t usual = type_.lanes[lane].usual;
  if (!coder_.bit(first_slot, values_[lane] != usual)) {
    values_[lane] = static_cast<LaneValue>(usual);
    return true;
  }
  if (schema.kind == LaneKind::opaque) {
    std::uint64_t value = 0;
    for (auto i = static_cast<unsigned>(std::bit_width(schema.greatest)); i-- > 0;) {
      value = value * 2 + (coder_.even_bit(((values_[lane] >> i) & 1) != 0) ? 1 : 0);
    }
    if (value > schema.greatest) return false;
    values_[lane] = static_cast<LaneValue>(value);
    return true;
  }
  const std::int64_t off = std::int64_t{values_[lane]} - usual;
  const bool is_less = coder_.bit(first_slot + 1, off < 0);
  const auto magnitude = static_cast<std::int64_t>(code_magnitude(
      first_slot + 2, first_slot + 2 + slots::kLengths, static_cast<std::uint64_t>(std::abs(off))));
  const std::int64_t value = is_less ? usual - magnitude : usual + magnitude;
  if (value < 0 || value > std::int64_t{schema.greatest}) return false;
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
  while (length < kLongest &&
         coder_.bit(lengths + std::min(length, slots::kLengths) - 1, whole > length)) {
    ++length;
  }
  const std::uint32_t nodes = low + (std::min(length, slots::kLengths) - 1) * slots::kLowNodes;
  std::uint64_t result = 1;
  for (unsigned done = 0; done + 1 < length; ++done) {
    const bool bit = ((value >> (length - 2 - done)) & 1) != 0;
    // Seven nodes: one, two, four for the first, second, third bit behind the leading one.
    const auto node = static_cast<std::uint32_t>(result - 1);
    result =
        result * 2 + ((done < 3 ? coder_.bit(nodes + node, bit) : coder_.even_bit(bit)) ? 1 : 0);
  }
  return result;
}

template <DecisionCoder Coder>
std::uint64_t EntityCode<Coder>::code_tree(std::uint32_t first_slot, unsigned bits,
                                           std::uint64_t value) {
  std::uint32_t node = 1;
  for (unsigned i = bits; i-- > 0;) {
    node = node * 2 + (coder_.bit(first_slot + node, ((value >> i) & 1) != 0) ? 1 : 0);
  }
  return node - (1U << bits);
}

}  // namespace muster
