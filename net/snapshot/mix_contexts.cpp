// Each context combines two or three related values, and their lane. The contexts were chosen by
// tests that left out one context at a time. Contexts may be similar, because the corrections of
// all contexts are trained together.
#include "net/snapshot/mix_contexts.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace muster {
namespace {

/// The logarithm of a signed number in 1/256, with `per_octave` steps per octave.
std::uint32_t signed_log(std::int64_t fine, int per_octave) {
  const std::int32_t size = log_of_fine(fine) * per_octave / 16;
  return static_cast<std::uint32_t>(fine < 0 ? 4096 - size : 4096 + size);
}
std::uint32_t signed_log_of_units(std::int64_t units, int per_octave) {
  return signed_log(units * (1 << kFeatureBits), per_octave);
}
std::uint32_t clamp_to(std::int64_t value, std::int64_t maximum) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, maximum));
}

/// Collects the contexts of a decision. Each context also depends on a subject: the lane, or the
/// lane's kind.
class Contexts {
 public:
  explicit Contexts(std::uint32_t subject) : subject_(subject * 0x2545'F491U + 1) {}
  void change_subject(std::uint32_t subject) { subject_ = subject * 0x2545'F491U + 2; }
  void add(std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0) {
    contexts_[count_++] = stir(stir(stir(subject_, a), b), c);
  }
  const MixContexts& all() const { return contexts_; }

 private:
  std::uint32_t subject_;
  std::size_t count_ = 0;
  MixContexts contexts_{};
};

}  // namespace

const std::int8_t* no_corrections() {
  static constexpr std::array<std::int8_t, kMixContexts * kMixTableSize> kNone{};
  return kNone.data();
}

MixContexts number_contexts(const NumberView& view) {
  const auto& s = view.motion.steps;
  const std::uint32_t constant = view.motion.is_constant ? 1 : 0;
  const std::int64_t sum = view.prediction.sum() / (1 << kWeightBits);
  const auto part = static_cast<std::uint32_t>(
      (view.prediction.remainder + (std::int64_t{1} << (kWeightBits + kFeatureBits - 1))) >>
      (kWeightBits + kFeatureBits - 5));
  const std::uint32_t level = clamp_to(view.size / 4 + 8, 127);
  const std::uint32_t horizon = clamp_to(view.horizon, 40);
  const SizeHints& hints = view.hints;
  Contexts contexts(view.model.first_slot);
  contexts.add(part, level / 4, constant);
  contexts.add(signed_log(s[0], 3), signed_log(s[1], 1), view.motion.steadiness);
  contexts.add(signed_log_of_units(view.partner_missed, 4),
               signed_log_of_units(view.next_partner_missed, 2), level / 16);
  contexts.add(view.partners, clamp_to(hints.changed_count, 7),
               constant * 8 + view.motion.steadiness);
  contexts.add(signed_log_of_units(view.newest, 2),
               clamp_to(std::int64_t{view.model.maximum} - view.newest, 3), signed_log(sum, 1));
  contexts.add(view.entity.symbols, level / 8, constant);
  contexts.add(clamp_to(view.entity.activity, 15), clamp_to(hints.ticks_since_event, 63) / 2,
               level / 8);
  // Statistics of one lane of a vector are also valid for its other lanes.
  contexts.change_subject(static_cast<std::uint32_t>(view.model.kind) * 64 +
                          static_cast<std::uint32_t>(std::bit_width(view.model.maximum)));
  contexts.add(signed_log(sum - s[0], 3), level / 8, part / 8);
  contexts.add(signed_log(s[0] - s[1], 3), signed_log(view.motion.backtest, 2));
  contexts.add(signed_log_of_units(view.entity.last_missed, 3),
               signed_log_of_units(view.entity.last_but_one_missed, 1), level / 8);
  contexts.add(level, horizon, constant);
  contexts.add(signed_log(sum, 4), view.entity.changed_set & 15, part / 4);
  return contexts.all();
}

MixContexts symbol_contexts(const SymbolView& view) {
  const std::uint32_t so_far = clamp_to(view.hints.changed_count, 7);
  const std::uint32_t horizon = clamp_to(view.horizon, 40);
  Contexts contexts(view.model.first_slot);
  contexts.add(view.newest, view.age);
  contexts.add(view.newest, view.before, view.partners);
  contexts.add(view.partners, so_far, view.age);
  contexts.add(view.entity.symbols, view.newest);
  contexts.add(signed_log_of_units(view.entity.last_missed, 2), view.newest);
  contexts.add(view.partner_value, view.newest, view.partners & 1);
  contexts.add(horizon, view.age, view.newest);
  contexts.add(clamp_to(view.entity.activity, 31), so_far);
  contexts.add(view.entity.changed_set & 255, view.newest);
  contexts.add(clamp_to(view.since, 255), view.newest);
  contexts.add(clamp_to(view.hints.ticks_since_event, 127), view.newest);
  contexts.add(view.entity.symbols, view.partners, view.entity.changed_set & 7);
  return contexts.all();
}

MixContexts changed_contexts(const TypeModel& type, const KnownStates& known,
                             bool follows_changed) {
  const std::size_t lanes = type.lanes.size();
  const LaneValue* newest = known.values[0];
  std::uint32_t differing = 0;
  for (std::size_t k = 1; k < known.count; ++k) {
    if (known.values[k] != newest && !std::equal(newest, newest + lanes, known.values[k])) {
      differing |= 1U << k;
    }
  }
  std::uint32_t activity = 0;
  std::uint32_t which = 0;
  std::int64_t moved = 0;
  if ((differing & 2) != 0) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::int64_t step = std::int64_t{newest[lane]} - known.values[1][lane];
      activity += step != 0 ? 1 : 0;
      if (step != 0) which = stir(which, static_cast<std::uint32_t>(lane));
      moved += std::min<std::int64_t>(std::abs(step), 1 << 20);
    }
  }
  std::uint32_t symbols = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if (type.lanes[lane].kind == LaneKind::symbol && type.lanes[lane].maximum < 16) {
      symbols = stir(symbols, newest[lane]);
    }
  }
  const std::uint32_t follows = follows_changed ? 1 : 0;
  const auto horizon =
      static_cast<std::uint32_t>(std::min<std::uint32_t>(known.now - known.ticks[0], 40));
  const std::uint32_t speed = signed_log_of_units(moved, 2);
  Contexts contexts(type.first_slot);
  contexts.add(differing, follows);
  contexts.add(activity, speed);
  contexts.add(differing & 15, speed, follows);
  contexts.add(which, differing & 15);
  contexts.add(horizon, differing);
  contexts.add(symbols, differing & 7);
  contexts.add(symbols, speed);
  contexts.add(which, symbols);
  contexts.add(static_cast<std::uint32_t>(known.count), differing);
  contexts.add(speed, horizon);
  contexts.add(activity, differing, follows);
  contexts.add(follows);
  return contexts.all();
}

}  // namespace muster
