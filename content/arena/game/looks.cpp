#include "content/arena/game/looks.h"

#include "content/arena/game/session.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

namespace {

// Types of presentations.
constexpr std::uint32_t kSeenByOthers = 0;
constexpr std::uint32_t kFirstPerson = 1;

}  // namespace

/// Assets/Prefabs/Presentation/Crate.prefab
Guid placeholder() { return Guid::parse("5cf9ea074732efdc4b85395231a8209c").value(); }

Looks::Looks(Spawner& views, BundleLoader& loader, const World& world,
             const ReplicatedCollection& collection)
    : world_(world),
      collection_(collection),
      views_(views, loader, {.placeholder = placeholder()}),
      presentations_(views_, world),
      owner_(world.component<PresentationOwner>("PresentationOwner")),
      link_(world.component<PrefabLink>("PrefabLink")),
      replicated_(world.component<ReplicatedEntity>("ReplicatedEntity")) {}

void Looks::update(PlayerId player) {
  collection_.each([&](EntityReference /*id*/, EntityId entity) { show(entity, player); });
  views_.update();
  presentations_.update();
}

void Looks::show(EntityId entity, PlayerId player) {
  const std::optional<Guid> asset = asset_of(entity);
  if (!asset || world_.get(owner_, entity) == nullptr) return;
  show_as(entity, kSeenByOthers, *asset);
  const bool is_mine = player != PlayerId::none && world_.player(entity) == player;
  if (is_mine) {
    show_as(entity, kFirstPerson, *asset);
  } else {
    presentations_.hide(entity, kFirstPerson);
  }
}

/// What stands in the level was not made from a prefab of its own, but says which it is of.
std::optional<Guid> Looks::asset_of(EntityId entity) const {
  const PrefabLink* const link = world_.get(link_, entity);
  const ReplicatedEntity* const replicated = world_.get(replicated_, entity);
  if (link == nullptr && replicated == nullptr) return std::nullopt;
  const AssetReference& asset = link != nullptr ? link->asset : replicated->asset_guid;
  return Guid::from_bytes(std::as_bytes(std::span(asset.guid)));
}

/// Not every entity looks like something in first person: there is nothing to tell then.
void Looks::show_as(EntityId entity, std::uint32_t type, const Guid& owner) {
  const std::uint16_t variation = world_.get(owner_, entity)->variation;
  static_cast<void>(presentations_.show(entity, {owner, kPlatformClient, type, variation}));
}

}  // namespace arena
