// Steps are stretched to the horizon so that one set of weights serves every round-trip time and
// send rate: going on as before has weight 1 whatever the spacing of the states.
#include "net/snapshot/lane_features.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "net/snapshot/slots.h"

namespace muster {
namespace {

/// A quarter of a turn in 256 parts, made once by the compiler from a series whose error is far
/// below the last digit kept.
constexpr std::size_t kQuarter = 256;
constexpr std::array<std::int32_t, kQuarter + 1> kSines = [] {
  std::array<std::int32_t, kQuarter + 1> sines{};
  for (std::size_t i = 0; i <= kQuarter; ++i) {
    const double x = 1.5707963267948966 * static_cast<double>(i) / kQuarter;
    double term = x;
    double sum = x;
    for (int k = 1; k < 12; ++k) {
      term *= -x * x / ((2.0 * k) * (2.0 * k + 1.0));
      sum += term;
    }
    sines[i] = static_cast<std::int32_t>(sum * 32768.0 + 0.5);
  }
  return sines;
}();

std::int32_t sine_of(std::int64_t part) {
  const auto turned = static_cast<std::size_t>(part) % (4 * kQuarter);
  const std::size_t within = turned % kQuarter;
  switch (turned / kQuarter) {
    case 0:
      return kSines[within];
    case 1:
      return kSines[kQuarter - within];
    case 2:
      return -kSines[within];
    default:
      return -kSines[kQuarter - within];
  }
}

std::int64_t bounded(std::int64_t feature) {
  return std::clamp(feature, -kFeatureMax, kFeatureMax);
}

/// Whether the first `count` steps, in 1/256, lie on a straight line, but for one unit.
bool on_a_line(const std::array<std::int64_t, kMaxKnownStates>& offsets, std::size_t known,
               std::size_t count) {
  if (known < count) return false;
  const auto last = static_cast<std::int64_t>(count - 1);
  constexpr std::int64_t kOne = 1 << kFeatureBits;
  for (std::int64_t k = 1; k < last; ++k) {
    const std::int64_t off = offsets[static_cast<std::size_t>(k)] * last - offsets[count - 1] * k;
    if (std::abs(off) > last * kOne) return false;
  }
  return true;
}

std::uint8_t steadiness_of(const std::array<std::int64_t, kMaxKnownStates>& offsets,
                           std::size_t count) {
  if (count < 3) return 5;
  const std::size_t recent = std::min<std::size_t>(4, count);
  if (std::all_of(offsets.begin(), offsets.begin() + static_cast<std::ptrdiff_t>(recent),
                  [](std::int64_t offset) { return offset == 0; })) {
    return 4;
  }
  if (on_a_line(offsets, count, 8)) return 0;
  if (on_a_line(offsets, count, 6)) return 1;
  if (on_a_line(offsets, count, 4)) return 2;
  return 3;
}

/// The known values in even steps, in 1/256: what lies in a hole is seldom a whole number.
LanePast even_past(const LanePast& known, const StateSpacing& spacing, std::uint32_t period) {
  LanePast past{};
  for (std::size_t k = 0; k < spacing.count; ++k) {
    const StateSpacing::Between& between = spacing.steps[k];
    past[k] = known[between.newer] * (1 << kFeatureBits);
    if (between.part == 0) continue;
    const std::int64_t back = way(known[between.newer], known[between.older], period);
    past[k] += back * (1 << kFeatureBits) * between.part / between.whole;
  }
  return past;
}

}  // namespace

StateSpacing spacing_of(const KnownStates& known) {
  StateSpacing spacing;
  spacing.known_count = known.count;
  spacing.count = known.count;
  if (known.count == 0) return spacing;
  const auto age = [&](std::size_t k) {
    return std::int64_t{known.ticks[0]} - std::int64_t{known.ticks[k]};
  };
  spacing.horizon = std::min<std::int64_t>(std::int64_t{known.now} - known.ticks[0], 255);
  std::int64_t step = spacing.horizon;
  if (known.count > 1) step = age(1);
  for (std::size_t k = 2; k < known.count; ++k) step = std::min(step, age(k) - age(k - 1));
  spacing.scale = ((spacing.horizon << kScaleBits) + step / 2) / step;
  std::size_t older = 0;
  for (std::size_t k = 0; k < known.count; ++k) {
    const std::int64_t wanted = step * static_cast<std::int64_t>(k);
    while (older < known.count && age(older) < wanted) ++older;
    if (older == known.count) {
      spacing.count = k;
      break;
    }
    const bool is_there = age(older) == wanted;
    const std::size_t newer = is_there ? older : older - 1;
    const std::int64_t whole = is_there ? 1 : age(older) - age(newer);
    // Only an enemy's ticks lie so far apart; the way times the part has to fit into 63 bits.
    const int coarse =
        std::max(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(whole))) - 20, 0);
    spacing.steps[k] = {.newer = static_cast<std::uint8_t>(newer),
                        .older = static_cast<std::uint8_t>(older),
                        .part = (wanted - age(newer)) >> coarse,
                        .whole = whole >> coarse};
  }
  return spacing;
}

std::int64_t way(std::int64_t from, std::int64_t to, std::int64_t period) {
  std::int64_t way = to - from;
  if (period == 0) return way;
  way %= period;
  if (2 * way > period) way -= period;
  if (2 * way < -period) way += period;
  return way;
}

LaneMotion motion_of(const LanePast& known, const StateSpacing& spacing, std::uint32_t period) {
  LaneMotion motion;
  const auto end = known.begin() + static_cast<std::ptrdiff_t>(spacing.known_count);
  const bool rests =
      std::all_of(known.begin(), end, [&](std::int64_t value) { return value == known[0]; });
  if (rests) {
    motion.steadiness = spacing.count < 3 ? 5 : 4;
    return motion;
  }
  const LanePast past = even_past(known, spacing, period);
  motion.rests = false;
  std::array<std::int64_t, kMaxKnownStates> offsets{};
  for (std::size_t k = 0; k + 1 < spacing.count; ++k) {
    const std::int64_t step = way(past[k + 1], past[k], std::int64_t{period} * (1 << kFeatureBits));
    offsets[k + 1] = offsets[k] - step;
    motion.steps[k] = bounded(step * spacing.scale / (1 << kScaleBits));
  }
  motion.steadiness = steadiness_of(offsets, spacing.count);
  motion.direction =
      static_cast<std::int8_t>((motion.steps[0] > 0 ? 1 : 0) - (motion.steps[0] < 0 ? 1 : 0));
  return motion;
}

Direction direction_of(std::int64_t value, std::uint32_t period) {
  // Rounded to the nearest of 1024 parts: finer than the whole degrees that games send.
  const std::int64_t whole = 4 * kQuarter;
  const std::int64_t part = period == 0 ? 0 : (value * whole + period / 2) / period;
  return {.sine = sine_of(part), .cosine = sine_of(part + static_cast<std::int64_t>(kQuarter))};
}

void partner_features(const TypeModel& type, const Partner& partner, std::span<const LaneNews> news,
                      const LaneValue* before, const LaneValue* now, std::int64_t* out) {
  const LaneNews& other = news[partner.lane];
  if (partner.kind == PartnerKind::difference) {
    out[0] = other.moved;
    out[1] = other.step0;
    out[2] = other.step1;
    out[3] = 0;
    return;
  }
  const std::uint32_t period = type.schema.lanes[partner.angle].period;
  const Direction past = direction_of(before[partner.angle], period);
  const Direction present = direction_of(now[partner.angle], period);
  if (partner.kind == PartnerKind::turn) {
    // A hundred steps in the one direction and in the other.
    out[0] = std::int64_t{present.sine} * 100 / 128;
    out[1] = std::int64_t{present.cosine} * 100 / 128;
    out[2] = std::int64_t{past.sine} * 100 / 128;
    out[3] = std::int64_t{past.cosine} * 100 / 128;
    return;
  }
  // A quarter of the way, in the mean direction of both states.
  const std::int64_t sine = (std::int64_t{present.sine} + past.sine) / 2;
  const std::int64_t cosine = (std::int64_t{present.cosine} + past.cosine) / 2;
  out[0] = bounded(other.moved * sine / (4 * 32768));
  out[1] = bounded(other.moved * cosine / (4 * 32768));
  out[2] = bounded(other.step0 * past.sine / (4 * 32768));
  out[3] = bounded(other.step0 * past.cosine / (4 * 32768));
}

std::size_t fill_features(const TypeModel& type, const LaneModel& model, const LaneMotion& motion,
                          std::span<const LaneNews> news, const LaneValue* before,
                          const LaneValue* now, std::array<std::int64_t, kMaxFeatures>& out) {
  std::copy(motion.steps.begin(), motion.steps.end(), out.begin());
  out[kMaxKnownStates - 1] = 1 << kFeatureBits;
  std::size_t count = kOwnFeatures;
  for (std::size_t i = 0; i < model.partner_count; ++i, count += kFeaturesPerPartner) {
    partner_features(type, model.partners[i], news, before, now, out.data() + count);
  }
  return count;
}

Prediction predict(const FeatureWeights& weights,
                   const std::array<std::int64_t, kMaxFeatures>& features, std::size_t count) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += weights[i] * features[i];
  constexpr int kBits = kWeightBits + kFeatureBits;
  const std::int64_t steps = (sum + (std::int64_t{1} << (kBits - 1))) >> kBits;
  return {.steps = steps, .rest = sum - (steps << kBits)};
}

std::int32_t log_of_fine(std::int64_t value) {
  const std::uint64_t number = static_cast<std::uint64_t>(value < 0 ? -value : value) + 256;
  const int leading = 63 - std::countl_zero(number);
  const auto behind = static_cast<std::int32_t>((number >> (leading - 4)) & 15);
  return (leading - 8) * 16 + behind;
}

std::array<std::int32_t, kSizeFeatures> size_features(const LaneModel& model,
                                                      const LaneMotion& motion,
                                                      const Prediction& prediction,
                                                      const SizeHints& hints, std::int64_t horizon,
                                                      std::span<const LaneNews> news) {
  const auto& s = motion.steps;
  std::array<std::int32_t, kSizeFeatures> out{};
  out[0] = 16;
  if (!motion.rests) {
    out[1] = log_of_fine(s[0]);
    out[2] = log_of_fine(s[0] - s[1]);
    out[3] = log_of_fine((s[0] + s[1] - s[2] - s[3]) / 2);
    out[4] = log_of_fine((s[0] + s[1] + s[2] - s[3] - s[4] - s[5]) / 4);
    out[5] = log_of_fine((s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6]) / 4);
    out[12] = log_of_fine(s[1] - s[2]);
    out[13] = log_of_fine(s[0] - 2 * s[1] + s[2]);
  }
  out[6] = log_of_fine(prediction.sum() / (1 << kWeightBits));
  out[7] = static_cast<std::int32_t>(hints.last_missed_log);
  out[8] = static_cast<std::int32_t>(hints.last_but_one_log);
  for (std::size_t i = 0; i < model.partner_count; ++i) {
    const Partner& partner = model.partners[i];
    out[i == 0 ? 9 : 10] +=
        news[partner.kind == PartnerKind::turn ? partner.angle : partner.lane].missed_log;
  }
  out[11] = static_cast<std::int32_t>(std::min<std::int64_t>(hints.changed_count, 3)) * 16;
  out[14] = log_of(hints.ticks_since_event);
  out[15] = log_of(horizon);
  for (std::size_t i = 0; i < model.change_partner_count; ++i) {
    if (news[model.change_partners[i]].changed) out[i == 0 ? 16 : 17] += 16;
  }
  return out;
}

std::uint32_t size_level(const SizeWeights& weights,
                         const std::array<std::int32_t, kSizeFeatures>& features) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kSizeFeatures; ++i) sum += std::int64_t{weights[i]} * features[i];
  // log2 of the size in 1/16, from -2 on, in steps of 0.4.
  const std::int64_t size = (sum >> kSizeWeightBits) + 32;
  const std::int64_t level = size < 0 ? 0 : size * 5 / 32;
  return static_cast<std::uint32_t>(
      std::min<std::int64_t>(level, static_cast<std::int64_t>(slots::kLevels) - 1));
}

}  // namespace muster
