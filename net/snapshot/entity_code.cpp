#include "net/snapshot/entity_code.h"

namespace muster {

namespace {

using Rows = std::array<const LaneValue*, kMaxKnownStates>;

/// Computes the movement of `count` lanes, usually four, between successive known states.
template <std::size_t count>
void find_steps(const Rows& rows, std::size_t first, LaneSteps& steps, LaneValue* changed_bits) {
  std::array<LaneValue, kLanesTogether> newer{};
  std::array<LaneValue, kLanesTogether> older{};
  std::array<LaneValue, kLanesTogether> any{};
  std::copy_n(rows[0] + first, count, newer.data());
  for (std::size_t k = 0; k + 1 < kMaxKnownStates; ++k) {
    std::copy_n(rows[k + 1] + first, count, older.data());
    for (std::size_t i = 0; i < kLanesTogether; ++i) {
      const LaneValue step = newer[i] - older[i];
      steps[k][i] = step;
      any[i] |= step;
    }
    newer = older;
  }
  std::copy_n(any.data(), count, changed_bits + first);
}

}  // namespace

void prepare_scratch(std::size_t lanes, const KnownStates& known, EntityScratch& scratch) {
  if (scratch.news.size() < lanes) {
    scratch.news.resize(lanes);
    scratch.turns.resize(lanes);
    scratch.steps.resize((lanes + kLanesTogether - 1) / kLanesTogether);
    scratch.changed_bits.resize(lanes);
    scratch.missed.resize(lanes);
  }
  KnownStates& spaced = scratch.spaced;
  if (spaced.count != known.count || spaced.now != known.now || spaced.ticks != known.ticks) {
    spaced.count = known.count;
    spaced.now = known.now;
    spaced.ticks = known.ticks;
    scratch.spacing = spacing_of(known);
    scratch.constant = constant_motion(scratch.spacing);
  }
  // The entity is assumed to have had the values of its oldest known state before that state.
  std::array<const LaneValue*, kMaxKnownStates> rows = known.values;
  for (std::size_t k = known.count; k < kMaxKnownStates; ++k) rows[k] = rows[k - 1];
  std::size_t first = 0;
  LaneSteps* steps = scratch.steps.data();
  LaneValue* changed_bits = scratch.changed_bits.data();
  for (; first + kLanesTogether <= lanes; first += kLanesTogether) {
    find_steps<kLanesTogether>(rows, first, *steps++, changed_bits);
  }
  static_assert(kLanesTogether == 4);
  if (lanes - first == 3) find_steps<3>(rows, first, *steps, changed_bits);
  if (lanes - first == 2) find_steps<2>(rows, first, *steps, changed_bits);
  if (lanes - first == 1) find_steps<1>(rows, first, *steps, changed_bits);
}

std::uint32_t changed_slot(const TypeModel& type, const KnownStates& known, bool follows_changed) {
  const LaneValue* newest = known.values[0];
  const auto differs = [&](std::size_t k) { return k < known.count && known.values[k] != newest; };
  std::uint32_t activity = 0;
  if (differs(1)) {
    const LaneValue* before = known.values[1];
    const std::size_t lanes = type.lanes.size();
    for (std::size_t lane = 0; lane < lanes && activity + 1 < slots::kActivities; ++lane) {
      activity += newest[lane] != before[lane] ? 1U : 0U;
    }
  }
  const std::uint32_t older = differs(2) || differs(3) ? 1 : 0;
  const std::uint32_t oldest = differs(4) || differs(5) || differs(6) || differs(7) ? 1 : 0;
  return type.first_slot + slots::kChanged + ((activity * 2 + older) * 2 + oldest) * 2 +
         (follows_changed ? 1 : 0);
}

}  // namespace muster
