#include "runtime/spawn/tick_triggers.h"

namespace muster {

bool TickTriggers::fires(const Key& key, Tick tick) {
  if (tick == Tick()) return false;
  const auto place = std::pair(key.entity.network_id, key.channel);
  const auto [found, is_new] = last_.try_emplace(place, tick);
  if (is_new) return true;
  const std::int64_t later = steps_between(found->second, tick);
  if (later <= 0) return false;
  // The reported tick follows the correction, so that small corrections do not add up to a second
  // occurrence, and the next real one is measured from where this one came to rest.
  found->second = tick;
  return later > std::int64_t{same_within_};
}

void TickTriggers::forget(EntityReference entity) {
  last_.erase(last_.lower_bound({entity.network_id, 0}),
              last_.lower_bound({entity.network_id + 1, 0}));
}

}  // namespace muster
