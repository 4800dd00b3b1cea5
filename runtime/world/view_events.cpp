#include "runtime/world/view_events.h"

#include <algorithm>

namespace muster {

ViewEvents::ViewEvents(World& world) : world_(world) {
  world_.take_touched(touched_);
  world_.each_entity([&](EntityId entity) {
    const Signature signature = world_.signature(entity);
    if (!signature.is_none()) announced_.push_back({signature, entity});
  });
  std::ranges::sort(announced_, {}, &Announced::signature);
}

std::span<const ViewEvent> ViewEvents::collect() {
  world_.take_touched(touched_);
  events_.clear();
  later_.clear();
  for (const Signature signature : touched_) {
    const EntityId now = world_.find(signature);
    const auto place = find(signature);
    const bool was_there = place != announced_.end() && place->signature == signature;
    if (was_there && now.is_null()) {
      events_.push_back({ViewEvent::Kind::destroyed, signature, now});
      announced_.erase(place);
    } else if (was_there && now != place->entity) {
      later_.push_back({ViewEvent::Kind::moved, signature, now});
      place->entity = now;
    } else if (!was_there && !now.is_null()) {
      later_.push_back({ViewEvent::Kind::created, signature, now});
      announced_.insert(place, {signature, now});
    }
  }
  events_.insert(events_.end(), later_.begin(), later_.end());
  return events_;
}

std::vector<ViewEvents::Announced>::iterator ViewEvents::find(Signature signature) {
  return std::ranges::lower_bound(announced_, signature, {}, &Announced::signature);
}

}  // namespace muster
