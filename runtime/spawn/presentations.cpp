#include "runtime/spawn/presentations.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace muster {

Presentations::Presentations(DeferredSpawner& views, const World& game)
    : views_(views), game_(game) {
  assert(&views.world() != &game);
}

Result<EntityId> Presentations::show(EntityId owner, const PresentationKey& key) {
  if (!game_.is_alive(owner) || game_.is_despawning(owner)) {
    return fail(ErrorCode::invalid_argument,
                "the owner of the presentation no longer exists, or is despawning");
  }
  const OwnerKey at = key_of(owner, key.type);
  const auto shown = shown_.find(at);
  if (shown != shown_.end() && shown->second.key == key &&
      views_.world().is_alive(shown->second.root) &&
      !views_.world().is_despawning(shown->second.root)) {
    return shown->second.root;
  }
  const std::optional<CatalogPresentation> found = views_.store().catalog().find_presentation(key);
  if (!found) {
    return fail(ErrorCode::not_found, "no presentation of " + key.owner.to_string() +
                                          " for platforms " + std::to_string(key.platforms) +
                                          ", type " +
                                          std::to_string(presentation_number(key.type)) +
                                          ", variation " + std::to_string(key.variation));
  }
  // A visible presentation stays until the new presentation is ready. An earlier presentation that
  // is not visible yet is despawned.
  Shown next{.key = key, .root = {}, .before = {}, .before_key = {}};
  if (shown != shown_.end()) {
    const Shown& last = shown->second;
    const bool is_seen = views_.is_visible(last.root);
    next.before = is_seen ? last.root : last.before;
    next.before_key = is_seen ? last.key : last.before_key;
    despawn(is_seen ? last.before : last.root);
  }
  if (views_.is_visible(next.before) && next.before_key == key) {
    next.root = std::exchange(next.before, EntityId());
  } else {
    next.root = views_.spawn(found->presentation);
  }
  if (!views_.is_visible(next.before) || views_.is_visible(next.root)) {
    despawn(std::exchange(next.before, EntityId()));
  }
  return (shown_[at] = next).root;
}

void Presentations::despawn(EntityId presentation) {
  if (!presentation.is_null()) views_.world().request_despawn(presentation);
}

void Presentations::hide(EntityId owner, PresentationType type) {
  const auto found = shown_.find(key_of(owner, type));
  if (found == shown_.end()) return;
  despawn(found->second.root);
  despawn(found->second.before);
  shown_.erase(found);
}

EntityId Presentations::shown(EntityId owner, PresentationType type) const {
  const auto found = shown_.find(key_of(owner, type));
  if (found == shown_.end()) return {};
  const Shown& shown = found->second;
  return shown.before.is_null() || views_.is_visible(shown.root) ? shown.root : shown.before;
}

EntityId Presentations::owner_of(EntityId presentation) const {
  if (presentation.is_null()) return {};
  const auto found = std::ranges::find_if(shown_, [&](const auto& row) {
    return row.second.root == presentation || row.second.before == presentation;
  });
  return found == shown_.end() ? EntityId() : find_owner(found->first);
}

std::uint32_t Presentations::update() {
  std::uint32_t count = 0;
  for (auto row = shown_.begin(); row != shown_.end();) {
    Shown& shown = row->second;
    const EntityId owner = find_owner(row->first);
    if (owner.is_null() || game_.is_despawning(owner)) {
      despawn(shown.root);
      despawn(shown.before);
      row = shown_.erase(row);
      ++count;
      continue;
    }
    if (!shown.before.is_null() && views_.is_visible(shown.root)) {
      despawn(std::exchange(shown.before, EntityId()));
    }
    ++row;
  }
  return count;
}

Presentations::OwnerKey Presentations::key_of(EntityId owner, PresentationType type) const {
  const Signature signature = game_.signature(owner);
  return {signature, signature.is_none() ? owner : EntityId(), type};
}

// Returns the owner, or null if the owner no longer exists.
EntityId Presentations::find_owner(const OwnerKey& at) const {
  if (!at.signature.is_none()) return game_.find(at.signature);
  return game_.is_alive(at.entity) ? at.entity : EntityId();
}

}  // namespace muster
