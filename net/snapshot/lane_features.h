// Computes the inputs of a lane's prediction from its known states. Uses only integers, so that
// every machine computes the same prediction. See SNAPSHOT_FORMAT.md, "Entities".
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "net/snapshot/known_states.h"
#include "net/snapshot/slots.h"
#include "net/snapshot/snapshot_model.h"

namespace muster {

/// The fraction bits of `StateSpacing::scale`. With 14 bits, the prediction of a straight line is
/// exact for up to 2^14 units per step. The longest step at the largest scale still fits into 63
/// bits.
inline constexpr int kScaleBits = 14;

/// The times of an entity's known states, which all its lanes share. Lost snapshots leave gaps
/// between these times. So a moving lane is sampled at even steps of time, and its values in the
/// gaps are interpolated.
struct StateSpacing {
  std::size_t known_count = 0;
  std::size_t count = 0;  ///< The number of even steps.
  /// The factor that converts the movement of one even step to the movement until the predicted
  /// tick, in 1/2^kScaleBits.
  std::int64_t scale = 0;
  std::int64_t horizon = 0;     ///< Ticks from the newest state to the coded one.
  std::size_t steps_ahead = 1;  ///< The horizon in even steps, rounded, from 1 to 6.
  /// The known states around an even step. The step is at `part / whole` of the time from `newer`
  /// to `older`.
  struct Between {
    std::uint8_t newer = 0;
    std::uint8_t older = 0;
    std::int64_t part = 0;
    std::int64_t whole = 1;
  };
  std::array<Between, kMaxKnownStates> steps{};
  bool is_even = true;  ///< True if there are no gaps, so that each even step is a known state.
  std::int32_t horizon_log = 0;
  /// If a lane's `maximum` is at most this value, the steps of the lane can be scaled without
  /// checks for overflow. -1 if there are gaps.
  std::int64_t plain_maximum = -1;
};
StateSpacing spacing_of(const KnownStates& known);

/// A lane's known values, newest first. The values of a rotation are converted to one frame.
using LanePast = std::array<std::int64_t, kMaxKnownStates>;

/// The motion of a lane.
struct LaneMotion {
  /// The movement between successive known states, scaled to the predicted time span, in 1/256
  /// units. Newest first; zero where it is unknown.
  std::array<std::int64_t, kMaxKnownStates - 1> steps{};
  bool is_constant = true;  ///< True if the lane has the same value in all known states.
  /// The class of the recent motion. 0: the newest eight states are on a straight line. 1: the
  /// newest six. 2: the newest four. 3: none of these. 4: the newest four states are equal. 5:
  /// fewer than three states are known.
  std::uint8_t steadiness = 5;
  std::int8_t direction = 0;  ///< The sign of the newest step.
  /// The error, in 1/256 units, when a straight line through older states predicts the newest
  /// state. This prediction looks as many ticks ahead as the prediction of the coded state. 0 if
  /// too few states are known.
  std::int64_t backtest = 0;
};
LaneMotion motion_of(const LanePast& known, const StateSpacing& spacing, std::uint32_t period);

/// The number of lanes whose differences are stored together.
inline constexpr std::size_t kLanesTogether = 4;
/// For several lanes, the differences between successive known states, newest first, modulo 2^32. A
/// difference for which no older state is known is zero.
using LaneSteps = std::array<std::array<LaneValue, kLanesTogether>, kMaxKnownStates - 1>;
/// Does the same as `motion_of`, but computes the motion from the steps of the lane at `index`.
/// Requires: the steps are not all zero, and the lane's `maximum` is at most
/// `spacing.plain_maximum`.
void motion_of_steps(const LaneSteps& steps, std::size_t index, const StateSpacing& spacing,
                     std::uint32_t period, LaneMotion& out);
/// The motion of a constant lane.
inline LaneMotion constant_motion(const StateSpacing& spacing) {
  LaneMotion motion;
  motion.steadiness = spacing.count < 3 ? 5 : 4;
  return motion;
}

/// The difference `to - from`. If `period` is not 0, the result is the shorter of the two
/// differences around the circle.
inline std::int64_t cyclic_difference(std::int64_t from, std::int64_t to, std::int64_t period) {
  std::int64_t difference = to - from;
  if (period == 0) return difference;
  if (difference >= period || difference <= -period) difference %= period;
  if (2 * difference > period) difference -= period;
  if (2 * difference < -period) difference += period;
  return difference;
}

/// The sine and cosine of `value / period` of a whole turn, in 1/2^15.
struct Direction {
  std::int32_t sine = 0;
  std::int32_t cosine = 0;
};
Direction direction_of(std::int64_t value, std::uint32_t period);
/// The direction of an angle now and in the newest known state.
struct Turn {
  Direction before;
  Direction now;
};

/// The values of a coded lane that help to predict later lanes.
struct LaneNews {
  /// The movement from the newest known state to the coded state, in 1/256 units.
  std::int64_t moved = 0;
  std::int64_t step0 = 0;
  std::int64_t step1 = 0;
  std::int32_t missed_log = 0;  ///< log2(1 + |residual|) in 1/16.
  bool changed = false;
  bool has_turn = false;  ///< True once the `Turn` of an angle is stored.

  bool moves() const { return (moved | step0 | step1) != 0; }
};

/// Computes the inputs of a prediction, and returns the number of inputs. `before` has the newest
/// known value of each lane. `now` has the values that are coded so far.
std::size_t fill_features(const TypeModel& type, const LaneModel& model, const LaneMotion& motion,
                          std::span<const LaneNews> news, const LaneValue* before,
                          const LaneValue* now, std::array<std::int64_t, kMaxFeatures>& out);
/// Writes the inputs that come from one partner to `out`. `turn` is the turn of the partner's
/// angle; a partner of kind `difference` has no angle.
void partner_features(PartnerKind kind, const LaneNews& other, const Turn& turn, std::int64_t* out);
Turn turn_of(const LaneModel& angle, LaneValue before, LaneValue now);

/// The predicted movement of a lane: a number of whole steps, and a rest between -0.5 and +0.5
/// steps. The unit of the rest is 1/2^(kWeightBits + kFeatureBits) of a step.
struct Prediction {
  std::int64_t steps = 0;
  std::int64_t remainder = 0;
  std::int64_t sum() const { return (steps << (kWeightBits + kFeatureBits)) + remainder; }
};
template <std::size_t count>
std::int64_t weighted(const std::int32_t* weights, const std::int64_t* features) {
  std::int64_t sum = 0;
#pragma GCC unroll 32
  for (std::size_t i = 0; i < count; ++i) sum += weights[i] * features[i];
  return sum;
}
inline Prediction rounded(std::int64_t sum) {
  constexpr int kBits = kWeightBits + kFeatureBits;
  const std::int64_t steps = (sum + (std::int64_t{1} << (kBits - 1))) >> kBits;
  return {.steps = steps, .remainder = sum - (steps << kBits)};
}
inline Prediction predict(const FeatureWeights& weights,
                          const std::array<std::int64_t, kMaxFeatures>& features,
                          std::size_t count) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += weights[i] * features[i];
  return rounded(sum);
}

/// log2(1 + value / 256) in 1/16, from the leading bit and the four bits after it.
inline std::int32_t log_of_fine(std::int64_t value) {
  const std::uint64_t number = static_cast<std::uint64_t>(value < 0 ? -value : value) + 256;
  const int leading = 63 - std::countl_zero(number);
  // The leading bit and the four bits after it: 16 to 31.
  const auto five = static_cast<std::int32_t>(number >> (leading - 4));
  return (leading - 9) * 16 + five;
}
/// log2(1 + value) in 1/16.
inline std::int32_t log_of(std::int64_t value) {
  const std::int64_t bounded = value < 0 ? -value : value;
  return log_of_fine(bounded << 8);
}

/// Inputs for the estimated size of a residual, besides the motion.
struct SizeHints {
  std::int32_t last_missed_log = 0;   ///< log2(1 + |residual|) of the previous lane, in 1/16.
  std::int32_t last_but_one_log = 0;  ///< The same for the lane before the previous lane.
  /// The number of already coded lanes that changed.
  std::int32_t changed_count = 0;
  std::int32_t ticks_since_event = 0;  ///< The minimum age of the entity's tick lanes, in ticks.
  std::int32_t event_log = 0;          ///< log2(1 + ticks_since_event) in 1/16.
};
using SizeInputs = std::array<std::int16_t, kSizeFeatures>;
/// Calls `add(index, value)` for every input of the size estimate. Inputs that are zero may be
/// omitted. If an index gets several values, their sum is the input. Bit i of `partners` is 1 if
/// change partner i changed.
template <typename Add>
void add_size_features(const LaneModel& model, const LaneMotion& motion,
                       const Prediction& prediction, const SizeHints& hints,
                       std::int32_t horizon_log, const LaneNews* news, std::uint32_t partners,
                       const Add& add) {
  add(0, 16);
  if (!motion.is_constant) {
    const auto& s = motion.steps;
    const std::int64_t newest_two = s[0] + s[1];
    const std::int64_t next_two = s[2] + s[3];
    const std::int64_t later_two = s[4] + s[5];
    add(1, log_of_fine(s[0]));
    add(2, log_of_fine(s[0] - s[1]));
    add(3, log_of_fine((newest_two - next_two) / 2));
    add(4, log_of_fine((newest_two + s[2] - s[3] - later_two) / 4));
    add(5, log_of_fine((newest_two + next_two + later_two + s[6]) / 4));
    add(12, log_of_fine(s[1] - s[2]));
    add(13, log_of_fine(s[0] - 2 * s[1] + s[2]));
    add(18, log_of_fine(motion.backtest));
  }
  add(6, log_of_fine(prediction.sum() / (1 << kWeightBits)));
  add(7, hints.last_missed_log);
  add(8, hints.last_but_one_log);
  for (std::size_t i = 0; i < model.partner_count; ++i) {
    const Partner& partner = model.partners[i];
    const std::size_t lane = partner.kind == PartnerKind::turn ? partner.angle : partner.lane;
    add(i == 0 ? 9 : 10, news[lane].missed_log);
  }
  add(11, std::min(hints.changed_count, 3) * 16);
  add(14, hints.event_log);
  add(15, horizon_log);
  add(16, static_cast<std::int32_t>(partners & 1) * 16);
  add(17, static_cast<std::int32_t>((partners >> 1 & 1) + (partners >> 2 & 1)) * 16);
}
/// The estimated size of the residual, as log2 in 1/16, from the weighted sum of the inputs.
inline std::int32_t expected_size(std::int32_t sum) { return (sum >> kSizeWeightBits) + 32; }
/// The level of an expected size: its log2 in steps of 0.4, from 0 to `slots::kLevels - 1`.
inline std::uint32_t size_level(std::int32_t size) {
  const std::int32_t level = size < 0 ? 0 : size * 5 / 32;
  return std::min(static_cast<std::uint32_t>(level), slots::kLevels - 1);
}

}  // namespace muster
