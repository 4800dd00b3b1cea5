#include "runtime/world/view_events.h"

#include <algorithm>

namespace muster {

ViewEvents::ViewEvents(World& world) : world_(world) {
  world_.drain_touched(touched_);
  world_.each_entity([&](EntityId entity) {
    const Signature signature = world_.signature(entity);
    if (!signature.is_none()) announced_.push_back({signature, entity});
  });
  std::ranges::sort(announced_, {}, &Announced::signature);
}

std::span<const ViewEvent> ViewEvents::collect() {
  world_.drain_touched(touched_);
  events_.clear();
  later_.clear();
  added_.clear();
  bool has_gone = false;
  keep_first_touches();
  for (const Signature signature : touched_) {
    const EntityId now = world_.find(signature);
    const auto found = find(signature);
    const bool was_there = found != announced_.end() && found->signature == signature;
    if (was_there && now.is_null()) {
      events_.push_back({ViewEvent::Kind::destroyed, signature, now});
      found->entity = EntityId();
      has_gone = true;
    } else if (was_there && now != found->entity) {
      later_.push_back({ViewEvent::Kind::moved, signature, now});
      found->entity = now;
    } else if (!was_there && !now.is_null()) {
      later_.push_back({ViewEvent::Kind::created, signature, now});
      added_.push_back({signature, now});
    }
  }
  events_.insert(events_.end(), later_.begin(), later_.end());
  if (has_gone) {
    std::erase_if(announced_, [](const Announced& one) { return one.entity.is_null(); });
  }
  merge_added();
  return events_;
}

/// Keeps each signature once, in the order in which the signatures were first added or removed.
void ViewEvents::keep_first_touches() {
  order_.clear();
  for (std::uint32_t i = 0; i < touched_.size(); ++i) order_.emplace_back(touched_[i], i);
  std::ranges::sort(order_);
  const auto is_same = [](const auto& a, const auto& b) { return a.first == b.first; };
  order_.erase(std::unique(order_.begin(), order_.end(), is_same), order_.end());
  std::ranges::sort(order_, {}, [](const auto& touch) { return touch.second; });
  touched_.clear();
  for (const auto& [signature, index] : order_) touched_.push_back(signature);
}

/// Merges two sorted lists from the back, because each single insertion would move half of the
/// elements.
void ViewEvents::merge_added() {
  std::ranges::sort(added_, {}, &Announced::signature);
  std::size_t old_end = announced_.size();
  announced_.resize(old_end + added_.size());
  for (std::size_t end = announced_.size(); !added_.empty();) {
    const bool is_old = old_end > 0 && announced_[old_end - 1].signature > added_.back().signature;
    announced_[--end] = is_old ? announced_[--old_end] : added_.back();
    if (!is_old) added_.pop_back();
  }
}

std::vector<ViewEvents::Announced>::iterator ViewEvents::find(Signature signature) {
  return std::ranges::lower_bound(announced_, signature, {}, &Announced::signature);
}

}  // namespace muster
