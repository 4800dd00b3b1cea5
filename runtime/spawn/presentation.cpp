#include "runtime/spawn/presentation.h"

namespace muster {

Result<EntityId> Presentations::show(EntityId owner, const PresentationKey& key) {
  World& world = spawner_.world();
  if (!world.is_alive(owner) || world.is_despawning(owner)) {
    return fail(ErrorCode::invalid_argument, "the owner of a presentation is gone");
  }
  const auto place = std::pair(owner, key.type);
  const auto before = shown_.find(place);
  if (before != shown_.end() && before->second.key == key && world.is_alive(before->second.root)) {
    return before->second.root;
  }
  const std::optional<CatalogPresentation> found =
      spawner_.store().catalog().find_presentation(key);
  if (!found) {
    return fail(ErrorCode::not_found, "no presentation of " + key.owner.to_string() +
                                          " for platforms " + std::to_string(key.platforms) +
                                          ", type " + std::to_string(key.type) + ", variation " +
                                          std::to_string(key.variation));
  }
  Result<Spawned> spawned = spawner_.spawn(found->presentation);
  if (!spawned) return fail(spawned.error());
  hide(owner, key.type);
  const EntityId root = spawned.value().root;
  shown_[place] = {.key = key, .root = root};
  owners_[root] = owner;
  return root;
}

void Presentations::hide(EntityId owner, std::uint32_t type) {
  const auto found = shown_.find(std::pair(owner, type));
  if (found == shown_.end()) return;
  spawner_.world().request_despawn(found->second.root);
  owners_.erase(found->second.root);
  shown_.erase(found);
}

EntityId Presentations::shown(EntityId owner, std::uint32_t type) const {
  const auto found = shown_.find(std::pair(owner, type));
  return found == shown_.end() ? EntityId() : found->second.root;
}

EntityId Presentations::owner_of(EntityId presentation) const {
  const auto found = owners_.find(presentation);
  return found == owners_.end() ? EntityId() : found->second;
}

std::uint32_t Presentations::update() {
  World& world = spawner_.world();
  std::uint32_t count = 0;
  for (auto row = shown_.begin(); row != shown_.end();) {
    const EntityId owner = row->first.first;
    if (world.is_alive(owner) && !world.is_despawning(owner)) {
      ++row;
      continue;
    }
    world.request_despawn(row->second.root);
    owners_.erase(row->second.root);
    row = shown_.erase(row);
    ++count;
  }
  return count;
}

}  // namespace muster
