// The reported ticks stay what they were: one that followed each correction would swallow a steady
// stream of occurrences. Several are remembered, because a correction may take the latest one back
// and show the one before it again, which is no news.
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
