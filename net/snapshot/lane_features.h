// From the known states of a lane to the inputs of its prediction; in integers alone, so that every
// machine predicts the same. SNAPSHOT_FORMAT.md, "Prediction".
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "net/snapshot/known_states.h"
#include "net/snapshot/snapshot_model.h"

namespace muster {

/// A straight line stays exact over 2^14 units a step; the longest step at the greatest scale still
/// fits into 63 bits.
inline constexpr int kScaleBits = 14;

/// Where the known states lie in time; the same for all lanes of an entity. Lost snapshots leave
/// holes: lanes that move are looked at in even steps, with the holes filled in between.
struct StateSpacing {
  std::size_t known_count = 0;
  std::size_t count = 0;  ///< Of even steps.
  /// What one step becomes over the time to be predicted, in 1/2^kScaleBits.
  std::int64_t scale = 0;
  std::int64_t horizon = 0;     ///< Ticks from the newest state to the one that is coded.
  std::size_t steps_ahead = 1;  ///< About as many even steps, 6 at most.
  /// For each even step the known states around it: so much of the way from `newer` to `older`.
  struct Between {
    std::uint8_t newer = 0;
    std::uint8_t older = 0;
    std::int64_t part = 0;
    std::int64_t whole = 1;
  };
  std::array<Between, kMaxKnownStates> steps{};
  bool is_even = true;  ///< There are no holes: the even steps are the known states themselves.
};
StateSpacing spacing_of(const KnownStates& known);

/// A lane's values in the known states, the newest first; brought into one frame for rotations.
using LanePast = std::array<std::int64_t, kMaxKnownStates>;

/// How a lane has moved.
struct LaneMotion {
  /// Movement between known states, stretched to the time to be predicted, in 1/256; the newest
  /// first, zero where nothing is known.
  std::array<std::int64_t, kMaxKnownStates - 1> steps{};
  bool rests = true;  ///< It had one value in all known states.
  /// 0, 1, 2: a straight line through eight, six, four states; 3 none; 4 at rest; 5 not known.
  std::uint8_t steadiness = 5;
  std::int8_t direction = 0;  ///< The sign of the last step.
  /// By how much a straight line would have missed the newest state as long before it as the coded
  /// one is behind it, in 1/256; 0 when too little is known.
  std::int64_t backtest = 0;
};
LaneMotion motion_of(const LanePast& known, const StateSpacing& spacing, std::uint32_t period);
/// The same of a lane that had one value in all known states.
inline LaneMotion motion_at_rest(const StateSpacing& spacing) {
  LaneMotion motion;
  motion.steadiness = spacing.count < 3 ? 5 : 4;
  return motion;
}

/// The way from `from` to `to`, the short way round when there is a period.
inline std::int64_t way(std::int64_t from, std::int64_t to, std::int64_t period) {
  std::int64_t way = to - from;
  if (period == 0) return way;
  if (way >= period || way <= -period) way %= period;
  if (2 * way > period) way -= period;
  if (2 * way < -period) way += period;
  return way;
}

/// The sine and cosine of `value / period` of a whole turn, in 1/2^15.
struct Direction {
  std::int32_t sine = 0;
  std::int32_t cosine = 0;
};
Direction direction_of(std::int64_t value, std::uint32_t period);
/// Where an angle points now, and where it did in the newest known state.
struct Turn {
  Direction before;
  Direction now;
};

/// What the lanes coded so far in an entity tell the later ones. One per lane.
struct LaneNews {
  std::int64_t moved = 0;  ///< From the newest known state to the coded one, in 1/256.
  std::int64_t step0 = 0;
  std::int64_t step1 = 0;
  std::int32_t missed_log = 0;  ///< log2(1 + |residual|) in 1/16.
  bool changed = false;
  bool has_turn = false;  ///< For whoever keeps the `Turn` of an angle once it is known.

  bool moves() const { return (moved | step0 | step1) != 0; }
};

/// The inputs of a prediction; returns how many. `before` is the newest known value of each lane,
/// `now` the coded ones so far.
std::size_t fill_features(const TypeModel& type, const LaneModel& model, const LaneMotion& motion,
                          std::span<const LaneNews> news, const LaneValue* before,
                          const LaneValue* now, std::array<std::int64_t, kMaxFeatures>& out);
/// The inputs that one partner adds; `turn` is that of its angle, if it has one.
void partner_features(PartnerKind kind, const LaneNews& other, const Turn& turn, std::int64_t* out);
Turn turn_of(const LaneModel& angle, LaneValue before, LaneValue now);

/// A prediction: the whole steps that the lane will have moved, and what is left over in units of
/// 1/2^(kWeightBits + kFeatureBits), between minus and plus one half.
struct Prediction {
  std::int64_t steps = 0;
  std::int64_t rest = 0;
  std::int64_t sum() const { return (steps << (kWeightBits + kFeatureBits)) + rest; }
};
inline std::int64_t weighted(const std::int32_t* weights, const std::int64_t* features,
                             std::size_t count) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += weights[i] * features[i];
  return sum;
}
inline Prediction rounded(std::int64_t sum) {
  constexpr int kBits = kWeightBits + kFeatureBits;
  const std::int64_t steps = (sum + (std::int64_t{1} << (kBits - 1))) >> kBits;
  return {.steps = steps, .rest = sum - (steps << kBits)};
}
inline Prediction predict(const FeatureWeights& weights,
                          const std::array<std::int64_t, kMaxFeatures>& features,
                          std::size_t count) {
  return rounded(weighted(weights.data(), features.data(), count));
}

/// What the guess of a residual's size may know besides the motion.
struct SizeHints {
  std::int64_t last_missed_log = 0;    ///< Of the two lanes coded before this one, ...
  std::int64_t last_but_one_log = 0;   ///< ... log2(1 + |residual|) in 1/16.
  std::int64_t changed_count = 0;      ///< Lanes of the entity that changed so far.
  std::int64_t ticks_since_event = 0;  ///< The least age of the tick-valued lanes.
};
using SizeInputs = std::array<std::int16_t, kSizeFeatures>;
SizeInputs size_features(const LaneModel& model, const LaneMotion& motion,
                         const Prediction& prediction, const SizeHints& hints, std::int64_t horizon,
                         std::span<const LaneNews> news);
/// The expected size of the residual: its log2 in 1/16, from -2 on.
inline std::int32_t expected_size(const SizeWeights& weights, const SizeInputs& features) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < kSizeFeatures; ++i) sum += weights[i] * features[i];
  return (sum >> kSizeWeightBits) + 32;
}
/// Its level, 0 to `slots::kLevels - 1`, in steps of 0.4.
std::uint32_t size_level(std::int32_t size);

/// log2(1 + value / 256) in 1/16, by the leading bit and the four behind it.
inline std::int32_t log_of_fine(std::int64_t value) {
  const std::uint64_t number = static_cast<std::uint64_t>(value < 0 ? -value : value) + 256;
  const int leading = 63 - std::countl_zero(number);
  const auto behind = static_cast<std::int32_t>((number >> (leading - 4)) & 15);
  return (leading - 8) * 16 + behind;
}
/// log2(1 + value) in 1/16.
inline std::int32_t log_of(std::int64_t value) {
  const std::int64_t bounded = value < 0 ? -value : value;
  return log_of_fine(bounded << 8);
}

}  // namespace muster
