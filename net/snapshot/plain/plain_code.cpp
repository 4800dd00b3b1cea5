#include "net/snapshot/plain/plain_code.h"

#include <algorithm>
#include <cstdlib>

namespace muster {

PlainPrediction predict_from_three(const std::array<std::int64_t, 3>& values,
                                   const std::array<Tick, 3>& ticks, Tick now) {
  const std::int64_t then =
      16 * steps_between(ticks[2], ticks[0]) / steps_between(ticks[2], ticks[1]);
  const std::int64_t ahead = 16 * steps_between(ticks[1], now) / steps_between(ticks[1], ticks[0]);
  // Malicious ticks may be far apart. The limit keeps the product within 64 bits.
  constexpr std::int64_t kFar = std::int64_t{1} << 28;
  const std::int64_t back = values[2] + (values[1] - values[2]) * std::min(then, kFar) / 16;
  if (std::abs(values[0] - back) < std::abs(values[0] - values[1])) {
    return {.value = values[1] + (values[0] - values[1]) * std::min(ahead, kFar) / 16,
            .is_likely_wrong = back != values[0]};
  }
  return {.value = values[0], .is_likely_wrong = values[0] != values[1] && values[1] != values[2]};
}

PlainPrediction predict_plainly(const LaneModel& lane, std::size_t lane_index,
                                const KnownStates& known, bool predicts) {
  const auto value = [&](std::size_t k) { return std::int64_t{known.values[k][lane_index]}; };
  if (!predicts || known.count < 3) return {.value = value(0)};
  const bool has_order = lane.kind == LaneKind::number || lane.kind == LaneKind::angle ||
                         lane.kind == LaneKind::rotation || lane.kind == LaneKind::tick;
  if (!has_order) {
    return {.value = value(0), .is_likely_wrong = value(0) != value(1) && value(1) != value(2)};
  }
  PlainPrediction prediction = predict_from_three(
      {value(0), value(1), value(2)}, {known.ticks[0], known.ticks[1], known.ticks[2]}, known.now);
  prediction.value = std::clamp<std::int64_t>(prediction.value, 0, lane.maximum);
  return prediction;
}

}  // namespace muster
