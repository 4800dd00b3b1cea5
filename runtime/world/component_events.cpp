// Only components that were added or removed are checked. The reported components are stored by
// slot, because a slot has only one entity at a time.
#include "runtime/world/component_events.h"

#include <algorithm>
#include <tuple>

namespace muster {
namespace {

std::tuple<std::uint32_t, ComponentId> key_of(const EntityComponent& touched) {
  return {touched.entity.slot(), touched.component};
}

}  // namespace

ComponentEvents::ComponentEvents(World& world)
    : world_(world), announced_(world.component_type_count()) {
  world_.drain_touched_components(touched_);
  for (std::uint32_t i = 0; i < world_.component_type_count(); ++i) {
    const ComponentId component(i);
    for (const EntityId owner : world_.storage(component).owners()) {
      announced(component, owner.slot()) = present(component, owner.slot());
    }
  }
}

std::span<const ComponentEvent> ComponentEvents::collect() {
  world_.drain_touched_components(touched_);
  std::ranges::sort(touched_, {}, key_of);
  touched_.erase(std::unique(touched_.begin(), touched_.end(),
                             [](const auto& a, const auto& b) { return key_of(a) == key_of(b); }),
                 touched_.end());
  events_.clear();
  using enum ComponentEvent::Kind;
  for (const EntityComponent& touched : touched_) {
    const Announced& before = announced(touched.component, touched.entity.slot());
    if (before.entity.is_null() || is_as_announced(touched)) continue;
    events_.push_back({deinitialised, before.entity, touched.component, before.signature});
  }
  for (const EntityComponent& touched : touched_) {
    if (is_as_announced(touched)) continue;
    const Announced now = present(touched.component, touched.entity.slot());
    announced(touched.component, touched.entity.slot()) = now;
    if (now.entity.is_null()) continue;
    events_.push_back({initialised, now.entity, touched.component, now.signature});
  }
  return events_;
}

// True if no event is needed. A component that was removed and added again counts as the same
// component only if its entity has a signature.
bool ComponentEvents::is_as_announced(const EntityComponent& touched) {
  const std::uint32_t slot = touched.entity.slot();
  const Announced now = present(touched.component, slot);
  const Announced& before = announced(touched.component, slot);
  return now.entity == before.entity && now.signature == before.signature &&
         (now.entity.is_null() || !now.signature.is_none());
}

ComponentEvents::Announced ComponentEvents::present(ComponentId component,
                                                    std::uint32_t slot) const {
  const EntityId entity = world_.entity_in(slot);
  if (!world_.has(component, entity)) return {};
  return {entity, world_.signature(entity)};
}

ComponentEvents::Announced& ComponentEvents::announced(ComponentId component, std::uint32_t slot) {
  std::vector<Announced>& by_slot = announced_[component.value()];
  if (slot >= by_slot.size()) by_slot.resize(std::size_t{slot} + 1);
  return by_slot[slot];
}

}  // namespace muster
