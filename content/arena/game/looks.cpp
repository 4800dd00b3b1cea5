#include "content/arena/game/looks.h"

#include "content/arena/game/session.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

namespace {

// Types of presentations.
constexpr std::uint32_t kSeenByOthers = 0;
constexpr std::uint32_t kFirstPerson = 1;

/// Assets/Prefabs/Presentation/Crate.prefab
Guid placeholder() { return Guid::parse("5cf9ea074732efdc4b85395231a8209c").value(); }

}  // namespace

Looks::Looks(Spawner& views, BundleLoader& loader, const World& world,
             const ReplicatedCollection& collection)
    : world_(world),
      collection_(collection),
      views_(views, loader, {.placeholder = placeholder()}),
      presentations_(views_, world),
      owner_(world.component<PresentationOwner>("PresentationOwner")),
      link_(world.component<PrefabLink>("PrefabLink")) {}

void Looks::update(PlayerId player) {
  collection_.each([&](EntityReference /*id*/, EntityId entity) { show(entity, player); });
  views_.update();
  presentations_.update();
}

void Looks::show(EntityId entity, PlayerId player) {
  const PrefabLink* const link = world_.get(link_, entity);
  if (link == nullptr || world_.get(owner_, entity) == nullptr) return;
  const Guid asset = Guid::from_bytes(std::as_bytes(std::span(link->asset.guid)));
  show_as(entity, kSeenByOthers, asset);
  const bool is_mine = player != PlayerId::none && world_.player(entity) == player;
  if (is_mine) {
    show_as(entity, kFirstPerson, asset);
  } else {
    presentations_.hide(entity, kFirstPerson);
  }
}

/// Not every entity looks like something in first person: there is nothing to tell then.
void Looks::show_as(EntityId entity, std::uint32_t type, const Guid& owner) {
  const std::uint16_t variation = world_.get(owner_, entity)->variation;
  static_cast<void>(presentations_.show(entity, {owner, kPlatformClient, type, variation}));
}

}  // namespace arena
