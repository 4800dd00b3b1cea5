#include "net/snapshot/entity_code.h"

namespace muster {

void prepare_scratch(std::size_t lanes, const KnownStates& known, EntityScratch& scratch) {
  if (scratch.news.size() < lanes) {
    scratch.news.resize(lanes);
    scratch.turns.resize(lanes);
    scratch.unrest.resize(lanes);
    scratch.missed.resize(lanes);
  }
  KnownStates& spaced = scratch.spaced;
  if (spaced.count != known.count || spaced.now != known.now || spaced.ticks != known.ticks) {
    spaced.count = known.count;
    spaced.now = known.now;
    spaced.ticks = known.ticks;
    scratch.spacing = spacing_of(known);
  }
  LaneValue* unrest = scratch.unrest.data();
  std::fill_n(unrest, lanes, LaneValue{0});
  const LaneValue* newest = known.values[0];
  for (std::size_t k = 1; k < known.count; ++k) {
    const LaneValue* state = known.values[k];
    if (state == newest) continue;
    for (std::size_t lane = 0; lane < lanes; ++lane) unrest[lane] |= state[lane] ^ newest[lane];
  }
}

std::uint32_t changed_slot(const TypeModel& type, const KnownStates& known, bool follows_changed) {
  const std::size_t lanes = type.lanes.size();
  const LaneValue* newest = known.values[0];
  const auto differs = [&](std::size_t k) {
    return k < known.count && known.values[k] != newest &&
           !std::equal(newest, newest + lanes, known.values[k]);
  };
  std::uint32_t activity = 0;
  if (known.count > 1 && known.values[1] != newest) {
    const LaneValue* before = known.values[1];
    for (std::size_t lane = 0; lane < lanes; ++lane) activity += newest[lane] != before[lane];
    activity = std::min(activity, slots::kActivities - 1);
  }
  const std::uint32_t older = differs(2) || differs(3) ? 1 : 0;
  const std::uint32_t oldest = differs(4) || differs(5) || differs(6) || differs(7) ? 1 : 0;
  return type.first_slot + slots::kChanged + ((activity * 2 + older) * 2 + oldest) * 2 +
         (follows_changed ? 1 : 0);
}

}  // namespace muster
