#include "runtime/session/entity_walk.h"

#include <algorithm>
#include <cassert>

namespace muster {

std::optional<ComponentId> EntityWalk::find(std::string_view name) {
  const auto address = reinterpret_cast<std::uintptr_t>(name.data());
  Found& found = cache_[(address ^ (address >> 8U)) % kCacheSize];
  if (found.text != name.data() || found.size != name.size()) {
    found = {.text = name.data(), .size = name.size(), .id = world_.find_component(name)};
  }
  return found.id;
}

bool EntityWalk::find_all(std::span<const session_detail::VisitedComponent> components,
                          std::span<ComponentId> ids) {
  assert(!components.empty() && components.size() <= kComponentsMax);
  for (std::size_t i = 0; i < components.size(); ++i) {
    const std::optional<ComponentId> id = find(components[i].name);
    // A struct of another size would be read and written past the end of the array.
    if (!id || world_.storage(*id).description().size_bytes != components[i].bytes) return false;
    ids[i] = *id;
  }
  return true;
}

bool EntityWalk::are_aligned(std::span<const ComponentId> ids) const {
  const std::span<const EntityId> owners = world_.storage(ids[0]).owners();
  return std::ranges::all_of(ids.subspan(1), [&](ComponentId id) {
    return std::ranges::equal(world_.storage(id).owners(), owners);
  });
}

}  // namespace muster
