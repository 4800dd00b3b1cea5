// Steps are scaled to the horizon, so that one set of weights works for every round-trip time and
// send rate. For example, the weight 1 predicts that motion continues, for every distance between
// states.
#include "net/snapshot/lane_features.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "net/snapshot/slots.h"

namespace muster {
namespace {

/// The sines of a quarter turn in 256 parts. The compiler computes them from a series whose error
/// is far smaller than the unit of the result.
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

using Offsets = std::array<std::int64_t, kMaxKnownStates>;

/// True when the first `count` known states are on a straight line, with an error of at most one
/// unit. The states are given as offsets from the newest one.
template <std::size_t count>
bool on_a_line(const Offsets& offsets, std::int64_t unit) {
  constexpr auto kLast = static_cast<std::int64_t>(count - 1);
  const std::int64_t maximum = kLast * unit;
#pragma GCC unroll 8
  for (std::size_t k = 1; k + 1 < count; ++k) {
    const std::int64_t off = offsets[k] * kLast - offsets[count - 1] * static_cast<std::int64_t>(k);
    if (off > maximum || off < -maximum) return false;
  }
  return true;
}

std::uint8_t steadiness_of(const Offsets& offsets, std::size_t count, std::int64_t unit) {
  if (count < 3) return 5;
  if ((offsets[1] | offsets[2] | (count > 3 ? offsets[3] : 0)) == 0) return 4;
  if (count >= 8 && on_a_line<8>(offsets, unit)) return 0;
  if (count >= 6 && on_a_line<6>(offsets, unit)) return 1;
  if (count >= 4 && on_a_line<4>(offsets, unit)) return 2;
  return 3;
}

/// Computes the other members of `motion` from its steps. `offsets` are the sums of the steps.
[[gnu::always_inline]] inline void judge(LaneMotion& motion, const Offsets& offsets,
                                         std::int64_t unit, const StateSpacing& spacing) {
  motion.is_constant = false;
  motion.backtest = 0;
  if (spacing.count > spacing.steps_ahead + 1) {
    std::int64_t steps_sum = 0;
    for (std::size_t k = 0; k < spacing.steps_ahead; ++k) steps_sum += motion.steps[k];
    motion.backtest = steps_sum / static_cast<std::int64_t>(spacing.steps_ahead) -
                      motion.steps[spacing.steps_ahead];
  }
  motion.steadiness = steadiness_of(offsets, spacing.count, unit);
  motion.direction =
      static_cast<std::int8_t>((motion.steps[0] > 0 ? 1 : 0) - (motion.steps[0] < 0 ? 1 : 0));
}

/// The known values at even steps. They are in 1/256 units, because interpolated values are rarely
/// whole numbers.
LanePast even_past(const LanePast& known, const StateSpacing& spacing, std::uint32_t period) {
  LanePast past{};
  for (std::size_t k = 0; k < spacing.count; ++k) {
    const StateSpacing::Between& between = spacing.steps[k];
    past[k] = known[between.newer] * (1 << kFeatureBits);
    if (between.part == 0) continue;
    const std::int64_t back = cyclic_difference(known[between.newer], known[between.older], period);
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
  const auto age = [&](std::size_t k) { return steps_between(known.ticks[k], known.ticks[0]); };
  spacing.horizon = std::min<std::int64_t>(steps_between(known.ticks[0], known.now), 255);
  std::int64_t step = spacing.horizon;
  if (known.count > 1) step = age(1);
  for (std::size_t k = 2; k < known.count; ++k) step = std::min(step, age(k) - age(k - 1));
  spacing.scale = ((spacing.horizon << kScaleBits) + step / 2) / step;
  spacing.steps_ahead = static_cast<std::size_t>(
      std::clamp<std::int64_t>((spacing.horizon + step / 2) / step, 1, kMaxKnownStates - 2));
  spacing.horizon_log = log_of(spacing.horizon);
  std::size_t older = 0;
  for (std::size_t k = 0; k < known.count; ++k) {
    const std::int64_t wanted = step * static_cast<std::int64_t>(k);
    while (older < known.count && age(older) < wanted) ++older;
    if (older == known.count) {
      spacing.count = k;
      spacing.is_even = false;
      break;
    }
    const bool is_there = age(older) == wanted;
    const std::size_t newer = is_there ? older : older - 1;
    const std::int64_t whole = is_there ? 1 : age(older) - age(newer);
    spacing.is_even = spacing.is_even && is_there && older == k;
    // The product of a distance and `part` must fit into 63 bits. This removes bits only if ticks
    // are very far apart, which happens only in malicious snapshots.
    const int coarse =
        std::max(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(whole))) - 20, 0);
    spacing.steps[k] = {.newer = static_cast<std::uint8_t>(newer),
                        .older = static_cast<std::uint8_t>(older),
                        .part = (wanted - age(newer)) >> coarse,
                        .whole = whole >> coarse};
  }
  if (spacing.is_even) {
    spacing.plain_maximum = std::min<std::int64_t>(
        (kFeatureMax << (kScaleBits - kFeatureBits)) / std::max<std::int64_t>(spacing.scale, 1),
        INT32_MAX);
  }
  return spacing;
}

LaneMotion motion_of(const LanePast& known, const StateSpacing& spacing, std::uint32_t period) {
  LaneMotion motion;
  std::int64_t differences = 0;
  for (std::size_t k = 1; k < spacing.known_count; ++k) differences |= known[k] ^ known[0];
  if (differences == 0) return constant_motion(spacing);
  Offsets offsets{};
  const auto note = [&](std::size_t k, std::int64_t step) {
    offsets[k + 1] = offsets[k] - step;
    motion.steps[k] = bounded(step * spacing.scale / (1 << kScaleBits));
  };
  if (!spacing.is_even) {
    const LanePast past = even_past(known, spacing, period);
    for (std::size_t k = 0; k + 1 < spacing.count; ++k) {
      note(k, cyclic_difference(past[k + 1], past[k], std::int64_t{period} * (1 << kFeatureBits)));
    }
  } else {
    for (std::size_t k = 0; k + 1 < spacing.count; ++k) {
      note(k, cyclic_difference(known[k + 1], known[k], period) * (1 << kFeatureBits));
    }
  }
  judge(motion, offsets, 1 << kFeatureBits, spacing);
  return motion;
}

void motion_of_steps(const LaneSteps& steps, std::size_t index, const StateSpacing& spacing,
                     std::uint32_t period, LaneMotion& out) {
  constexpr std::size_t kSteps = kMaxKnownStates - 1;
  constexpr int kFineBits = kScaleBits - kFeatureBits;
  const bool is_whole = spacing.scale % (1 << kFineBits) == 0;
  const std::int64_t whole_scale = spacing.scale >> kFineBits;
  Offsets offsets;
  offsets[0] = 0;
#pragma GCC unroll 8
  for (std::size_t k = 0; k < kSteps; ++k) {
    std::int64_t moved = static_cast<std::int32_t>(steps[k][index]);
    if (period != 0) moved = cyclic_difference(0, moved, period);
    offsets[k + 1] = offsets[k] - moved;
    out.steps[k] = is_whole ? moved * whole_scale : moved * spacing.scale / (1 << kFineBits);
  }
  judge(out, offsets, 1, spacing);
}

Direction direction_of(std::int64_t value, std::uint32_t period) {
  // Rounds to 1/1024 turn, which is finer than the whole degrees that games send.
  const std::int64_t whole = 4 * kQuarter;
  const std::int64_t part = period == 0 ? 0 : (value * whole + period / 2) / period;
  return {.sine = sine_of(part), .cosine = sine_of(part + static_cast<std::int64_t>(kQuarter))};
}

Turn turn_of(const LaneModel& angle, LaneValue before, LaneValue now) {
  return {.before = direction_of(before, angle.period), .now = direction_of(now, angle.period)};
}

void partner_features(PartnerKind kind, const LaneNews& other, const Turn& turn,
                      std::int64_t* out) {
  switch (kind) {
    case PartnerKind::difference:
      out[0] = other.moved;
      out[1] = other.step0;
      out[2] = other.step1;
      out[3] = 0;
      return;
    case PartnerKind::turn:
      // Two inputs for the new state and two for the known state, scaled to about 100 steps.
      out[0] = std::int64_t{turn.now.sine} * 100 / 128;
      out[1] = std::int64_t{turn.now.cosine} * 100 / 128;
      out[2] = std::int64_t{turn.before.sine} * 100 / 128;
      out[3] = std::int64_t{turn.before.cosine} * 100 / 128;
      return;
    case PartnerKind::heading:
      // A quarter of the movement times the mean direction of both states.
      const std::int64_t sine = (std::int64_t{turn.now.sine} + turn.before.sine) / 2;
      const std::int64_t cosine = (std::int64_t{turn.now.cosine} + turn.before.cosine) / 2;
      out[0] = bounded(other.moved * sine / (4 * 32768));
      out[1] = bounded(other.moved * cosine / (4 * 32768));
      out[2] = bounded(other.step0 * turn.before.sine / (4 * 32768));
      out[3] = bounded(other.step0 * turn.before.cosine / (4 * 32768));
      return;
  }
}

std::size_t fill_features(const TypeModel& type, const LaneModel& model, const LaneMotion& motion,
                          std::span<const LaneNews> news, const LaneValue* before,
                          const LaneValue* now, std::array<std::int64_t, kMaxFeatures>& out) {
  std::copy(motion.steps.begin(), motion.steps.end(), out.begin());
  out[kMaxKnownStates - 1] = 1 << kFeatureBits;
  std::size_t count = kOwnFeatures;
  for (std::size_t i = 0; i < model.partner_count; ++i, count += kFeaturesPerPartner) {
    const Partner& partner = model.partners[i];
    Turn turn;
    if (partner.kind != PartnerKind::difference) {
      turn = turn_of(type.lanes[partner.angle], before[partner.angle], now[partner.angle]);
    }
    partner_features(partner.kind, news[partner.lane], turn, out.data() + count);
  }
  return count;
}

}  // namespace muster
