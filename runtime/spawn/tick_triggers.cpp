// A correction does not change the tick of a report. Otherwise each of many close occurrences could
// count as a correction of the previous occurrence, and only the first occurrence would be
// reported. Several reports are stored per key, because a correction can undo the latest
// occurrence. The state then has the previous occurrence again, which must not be reported twice.
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
