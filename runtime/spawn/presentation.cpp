#include "runtime/spawn/presentation.h"

#include <algorithm>
#include <cassert>

namespace muster {

Presentations::Presentations(Spawner& views, const World& game) : views_(views), game_(game) {
  assert(&views.world() != &game);
}

Result<EntityId> Presentations::show(EntityId owner, const PresentationKey& key) {
  if (!game_.is_alive(owner) || game_.is_despawning(owner)) {
    return fail(ErrorCode::invalid_argument, "the owner of a presentation is gone");
  }
  const Place place = place_of(owner, key.type);
  const auto before = shown_.find(place);
  if (before != shown_.end() && before->second.key == key &&
      views_.world().is_alive(before->second.root)) {
    return before->second.root;
  }
  const std::optional<CatalogPresentation> found = views_.store().catalog().find_presentation(key);
  if (!found) {
    return fail(ErrorCode::not_found, "no presentation of " + key.owner.to_string() +
                                          " for platforms " + std::to_string(key.platforms) +
                                          ", type " + std::to_string(key.type) + ", variation " +
                                          std::to_string(key.variation));
  }
  Result<Spawned> spawned = views_.spawn(found->presentation);
  if (!spawned) return fail(spawned.error());
  hide(owner, key.type);
  shown_[place] = {.key = key, .root = spawned.value().root};
  return spawned.value().root;
}

void Presentations::hide(EntityId owner, std::uint32_t type) {
  const auto found = shown_.find(place_of(owner, type));
  if (found == shown_.end()) return;
  views_.world().request_despawn(found->second.root);
  shown_.erase(found);
}

EntityId Presentations::shown(EntityId owner, std::uint32_t type) const {
  const auto found = shown_.find(place_of(owner, type));
  return found == shown_.end() ? EntityId() : found->second.root;
}

EntityId Presentations::owner_of(EntityId presentation) const {
  const auto found =
      std::ranges::find(shown_, presentation, [](const auto& row) { return row.second.root; });
  return found == shown_.end() ? EntityId() : owner_at(found->first);
}

std::uint32_t Presentations::update() {
  std::uint32_t count = 0;
  for (auto row = shown_.begin(); row != shown_.end();) {
    const EntityId owner = owner_at(row->first);
    if (!owner.is_null() && !game_.is_despawning(owner)) {
      ++row;
      continue;
    }
    views_.world().request_despawn(row->second.root);
    row = shown_.erase(row);
    ++count;
  }
  return count;
}

Presentations::Place Presentations::place_of(EntityId owner, std::uint32_t type) const {
  const Signature signature = game_.signature(owner);
  return {signature, signature.is_none() ? owner : EntityId(), type};
}

// Null when it is gone.
EntityId Presentations::owner_at(const Place& place) const {
  if (!place.signature.is_none()) return game_.find(place.signature);
  return game_.is_alive(place.entity) ? place.entity : EntityId();
}

}  // namespace muster
