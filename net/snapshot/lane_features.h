// From the known states of a lane to the inputs of its prediction; in integers alone, so that every
// machine predicts the same. SNAPSHOT_FORMAT.md, "Prediction".
#pragma once

#include <array>
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
  std::int64_t horizon = 0;  ///< Ticks from the newest state to the one that is coded.
  /// For each even step the known states around it: so much of the way from `newer` to `older`.
  struct Between {
    std::uint8_t newer = 0;
    std::uint8_t older = 0;
    std::int64_t part = 0;
    std::int64_t whole = 1;
  };
  std::array<Between, kMaxKnownStates> steps{};
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
};
LaneMotion motion_of(const LanePast& known, const StateSpacing& spacing, std::uint32_t period);

/// The way from `from` to `to`, the short way round when there is a period.
std::int64_t way(std::int64_t from, std::int64_t to, std::int64_t period);

/// What the lanes coded so far in an entity tell the later ones. One per lane.
struct LaneNews {
  std::int64_t moved = 0;  ///< From the newest known state to the coded one, in 1/256.
  std::int64_t step0 = 0;
  std::int64_t step1 = 0;
  std::int32_t missed_log = 0;  ///< log2(1 + |residual|) in 1/16.
  bool changed = false;
};

/// The inputs of a prediction; returns how many. `before` is the newest known value of each lane,
/// `now` the coded ones so far.
std::size_t fill_features(const TypeModel& type, const LaneModel& model, const LaneMotion& motion,
                          std::span<const LaneNews> news, const LaneValue* before,
                          const LaneValue* now, std::array<std::int64_t, kMaxFeatures>& out);
/// The inputs that one partner adds.
void partner_features(const TypeModel& type, const Partner& partner, std::span<const LaneNews> news,
                      const LaneValue* before, const LaneValue* now, std::int64_t* out);

/// A prediction: the whole steps that the lane will have moved, and what is left over in units of
/// 1/2^(kWeightBits + kFeatureBits), between minus and plus one half.
struct Prediction {
  std::int64_t steps = 0;
  std::int64_t rest = 0;
  std::int64_t sum() const { return (steps << (kWeightBits + kFeatureBits)) + rest; }
};
Prediction predict(const FeatureWeights& weights,
                   const std::array<std::int64_t, kMaxFeatures>& features, std::size_t count);

/// What the guess of a residual's size may know besides the motion.
struct SizeHints {
  std::int64_t last_missed_log = 0;    ///< Of the two lanes coded before this one, ...
  std::int64_t last_but_one_log = 0;   ///< ... log2(1 + |residual|) in 1/16.
  std::int64_t changed_count = 0;      ///< Lanes of the entity that changed so far.
  std::int64_t ticks_since_event = 0;  ///< The least age of the tick-valued lanes.
};
std::array<std::int32_t, kSizeFeatures> size_features(const LaneModel& model,
                                                      const LaneMotion& motion,
                                                      const Prediction& prediction,
                                                      const SizeHints& hints, std::int64_t horizon,
                                                      std::span<const LaneNews> news);
/// The level of the residual's expected size, 0 to `slots::kLevels - 1`.
std::uint32_t size_level(const SizeWeights& weights,
                         const std::array<std::int32_t, kSizeFeatures>& features);

/// log2(1 + value / 256) in 1/16, by the leading bit and the four behind it.
std::int32_t log_of_fine(std::int64_t value);
/// log2(1 + value) in 1/16.
inline std::int32_t log_of(std::int64_t value) {
  const std::int64_t bounded = value < 0 ? -value : value;
  return log_of_fine(bounded << 8);
}

/// The sine and cosine of `value / period` of a whole turn, in 1/2^15.
struct Direction {
  std::int32_t sine = 0;
  std::int32_t cosine = 0;
};
Direction direction_of(std::int64_t value, std::uint32_t period);

}  // namespace muster
