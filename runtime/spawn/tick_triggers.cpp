// A reported tick keeps its value: if it followed each correction, it would hide a steady stream of
// occurrences. Several reports are stored, because a correction may undo the latest one and show
// the one before it again, which must not be reported twice.
#include "runtime/spawn/tick_triggers.h"

#include <algorithm>
#include <cstdlib>

namespace muster {

bool TickTriggers::fires(const Key& key, Tick tick) {
  if (tick == Tick()) return false;
  Reported& reported = reported_[std::pair(key.entity.network_id, key.channel)];
  if (tick < reported.front()) return false;
  for (const Tick known : reported) {
    if (known != Tick() && std::abs(steps_between(known, tick)) <= std::int64_t{same_within_}) {
      return false;
    }
  }
  reported.front() = tick;
  std::ranges::sort(reported);
  return true;
}

void TickTriggers::forget(EntityReference entity) {
  std::erase_if(reported_, [&](const auto& row) { return row.first.first == entity.network_id; });
}

}  // namespace muster
