#include "content/arena/game/population.h"

#include <span>

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

Population::Population(Spawner& spawner, ReplicatedCollection& collection, WorldSender& sender,
                       std::uint32_t registry)
    : spawner_(spawner),
      collection_(collection),
      sender_(sender),
      registry_(registry),
      replicated_(spawner.world().component<ReplicatedEntity>("ReplicatedEntity")) {}

EntityId Population::spawn(TypeId type, PlayerId player) {
  const EntityReference id = collection_.lowest_free();
  if (id.network_id < 0) return {};
  const Result<Spawned> spawned = spawner_.spawn_type(registry_, type);
  if (!spawned) return {};
  const EntityId root = spawned.value().root;
  world().set_player(root, player);
  if (ReplicatedEntity* const replicated = world().get(replicated_, root)) {
    replicated->id = id.network_id;
    replicated->predicting_player_id = static_cast<std::int32_t>(player);
  }
  (void)collection_.add(id, root);  // It was free, and the entity is alive.
  if (sender_.add(id, {.type = type, .relevance = Relevance::always}) == SendVerdict::accepted) {
    return root;
  }
  world().request_despawn(root);
  return {};
}

bool Population::adopt(EntityReference id, EntityId entity) {
  const std::optional<TypeId> type = type_of(entity);
  if (!type) return false;
  world().get(replicated_, entity)->id = id.network_id;
  return sender_.add(id, {.type = *type, .relevance = Relevance::always}) == SendVerdict::accepted;
}

/// By the prefab that it was made from.
std::optional<TypeId> Population::type_of(EntityId entity) {
  const ReplicatedEntity* const replicated = world().get(replicated_, entity);
  if (replicated == nullptr) return std::nullopt;
  const Guid asset = Guid::from_bytes(std::as_bytes(std::span(replicated->asset_guid.guid)));
  const CatalogReader& catalog = spawner_.store().catalog();
  const CatalogRegistry registry = catalog.registry(registry_);
  for (std::uint32_t i = 0; i < registry.entry_count; ++i) {
    const CatalogEntry entry = catalog.entry(registry.first_entry + i);
    if (entry.guid == asset) return entry.type_id;
  }
  return std::nullopt;
}

void Population::despawn_all_of(PlayerId player) {
  collection_.each([&](EntityReference, EntityId entity) {
    if (world().player(entity) == player) world().request_despawn(entity);
  });
}

EntityReference Population::id_of(EntityId entity) const {
  EntityReference found;
  collection_.each([&](EntityReference id, EntityId one) {
    if (one == entity) found = id;
  });
  return found;
}

}  // namespace arena
