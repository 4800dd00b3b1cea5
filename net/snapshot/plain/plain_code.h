// Codes an entity's new state without probabilities: which lanes differ from their prediction, and
// the value or change of each such lane. See SNAPSHOT_FORMAT.md, "Plain entities".
#pragma once

#include <bit>
#include <span>

#include "net/snapshot/entity_code.h"
#include "net/snapshot/plain/huffman.h"
#include "registry/base/tick.h"

namespace muster {

/// Writes or reads bits, and symbols of a code, instead of decisions with probabilities.
/// - `bits(value, count)` and `symbol(context, symbol)` return the value that was written or read.
/// - `has_codes()`: true if numbers are coded in Huffman codes, false if in plain bits.
/// - `predicts()`: true if lanes are predicted from three states, false if from the newest state.
template <typename C>
concept PlainCoder = DecisionCoder<C> && requires(C& coder, std::uint32_t value, unsigned count) {
  coder.bits(value, count);
  coder.symbol(value, value);
  coder.has_codes();
  coder.predicts();
};

/// If the coder counts bits, the following bits count for `slot`.
template <PlainCoder Coder>
void go_to_slot(Coder& coder, std::uint32_t slot) {
  if constexpr (requires { coder.go_to(slot); }) coder.go_to(slot);
}

/// The expected value of a lane, and whether it is likely wrong.
struct PlainPrediction {
  std::int64_t value = 0;
  bool is_likely_wrong = false;
};
/// Extrapolates the two newest of three values, at the ticks t0 > t1 > t2, to `now`. First tests
/// whether extrapolation helps: extrapolates the two older values to t0. Extrapolation helps only
/// if this result is nearer to the newest value than the middle value is. If extrapolation does not
/// help, returns the newest value. Times are divided by the interval between the two values and
/// rounded towards zero to 1/16; results are rounded towards zero.
PlainPrediction predict_from_three(const std::array<std::int64_t, 3>& values,
                                   const std::array<Tick, 3>& ticks, Tick now);
/// Predicts a lane in the state after the known states. The prediction is the newest value if the
/// lane has no order, if fewer than three states are known, or if `predicts` is false.
PlainPrediction predict_plainly(const LaneModel& lane, std::size_t lane_index,
                                const KnownStates& known, bool predicts);

/// The Huffman contexts of a type: first one context for the mask of each four lanes, then one
/// context for each lane.
inline std::uint32_t mask_context(const TypeModel& type, std::size_t lane) {
  return type.first_context + static_cast<std::uint32_t>(lane / 4);
}
inline std::uint32_t lane_context(const TypeModel& type, std::size_t lane) {
  return mask_context(type, type.lanes.size() + 3) + static_cast<std::uint32_t>(lane);
}

/// Codes a number as its bucket and its offset in the bucket.
template <PlainCoder Coder>
std::uint64_t code_number(Coder& coder, std::uint32_t context, std::uint32_t number) {
  const std::uint32_t bucket = coder.symbol(context, bucket_of(number));
  return std::uint64_t{kBucketFirst[bucket]} +
         coder.bits(number - kBucketFirst[bucket], kBucketBits[bucket]);
}

/// Codes the value of a lane that differs from its prediction.
template <PlainCoder Coder>
bool code_lane_plainly(Coder& coder, std::uint32_t context, const LaneModel& lane,
                       std::uint32_t expected, LaneValue& value) {
  const bool has_order = lane.kind != LaneKind::symbol && lane.kind != LaneKind::opaque &&
                         lane.kind != LaneKind::dropped;
  if (lane.maximum <= 1) {
    value = lane.maximum - expected;  // Only one other value exists.
    return true;
  }
  if (!has_order || !coder.has_codes()) {
    value = coder.bits(value, static_cast<unsigned>(std::bit_width(lane.maximum)));
    return value <= lane.maximum;
  }
  const std::uint64_t fold = code_number(coder, context, folded(expected, value));
  if (fold > UINT32_MAX) return false;
  value = unfolded(expected, static_cast<std::uint32_t>(fold));
  return value <= lane.maximum;
}

/// Codes a state against its known states, or against the initial values if there are none. Returns
/// false if a reader reads a value that no writer writes.
template <PlainCoder Coder>
bool code_plainly(Coder& coder, const TypeModel& type, const KnownStates& known,
                  std::span<LaneValue> values) {
  std::array<std::uint32_t, 4> expected{};
  for (std::size_t first = 0; first < type.lanes.size(); first += 4) {
    const std::size_t count = std::min<std::size_t>(4, type.lanes.size() - first);
    std::uint32_t likely = 0;
    std::uint32_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const LaneModel& lane = type.lanes[first + i];
      const PlainPrediction prediction =
          known.count == 0 ? PlainPrediction{.value = lane.initial_value}
                           : predict_plainly(lane, first + i, known, coder.predicts());
      expected[i] = static_cast<std::uint32_t>(prediction.value);
      if (prediction.is_likely_wrong) likely |= 1U << i;
      if (values[first + i] != expected[i]) wrong |= 1U << i;
    }
    const std::uint32_t mask = wrong ^ likely;
    go_to_slot(coder, type.first_slot + slots::kChanged);
    wrong = likely ^ (coder.has_codes() ? coder.symbol(mask_context(type, first), mask)
                                        : coder.bits(mask, static_cast<unsigned>(count)));
    for (std::size_t i = 0; i < count; ++i) {
      LaneValue& value = values[first + i];
      go_to_slot(coder, type.lanes[first + i].first_slot);
      if (((wrong >> i) & 1) == 0) {
        value = expected[i];
      } else if (!code_lane_plainly(coder, lane_context(type, first + i), type.lanes[first + i],
                                    expected[i], value)) {
        return false;
      }
    }
    if ((wrong >> count) != 0) return false;
  }
  return true;
}

}  // namespace muster
