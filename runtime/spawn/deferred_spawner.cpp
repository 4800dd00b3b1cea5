#include "runtime/spawn/deferred_spawner.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace muster {
namespace {

AssetReference reference_to(const Guid& asset) {
  AssetReference reference;
  std::memcpy(reference.guid.data(), asset.bytes().data(), reference.guid.size());
  return reference;
}

Guid asset_of(const PrefabLink& link) {
  return Guid::from_bytes(std::as_bytes(std::span(link.asset.guid)));
}

bool is_unsettled(const PrefabLink& link) {
  return link.stage == PrefabStage::waiting || link.stage == PrefabStage::failed;
}

}  // namespace

DeferredSpawner::DeferredSpawner(Spawner& spawner, BundleLoader& loader, const Options& options)
    : spawner_(&spawner),
      loader_(&loader),
      options_(options),
      link_(spawner.world().component<PrefabLink>("PrefabLink")) {
  if (!options_.placeholder.is_null()) request(options_.placeholder);
}

EntityId DeferredSpawner::spawn(const Guid& asset, const EntityOptions& options) {
  const EntityId root = spawner_->world().create(options);
  spawn_at(root, asset);
  return root;
}

void DeferredSpawner::spawn_at(EntityId root, const Guid& asset) {
  ++counters_.spawned;
  spawner_->world().add(link_, root, {reference_to(asset), PrefabStage::waiting});
  settle(root);
}

EntityId DeferredSpawner::spawn_type(RegistryIndex registry, TypeId type_id,
                                     const EntityOptions& options) {
  const EntityId root = spawner_->world().create(options);
  spawn_type_at(root, registry, type_id);
  return root;
}

void DeferredSpawner::spawn_type_at(EntityId root, RegistryIndex registry, TypeId type_id) {
  const ResolvedType* const resolved = spawner_->store().resolve(registry, type_id);
  if (resolved != nullptr) return spawn_at(root, resolved->guid);
  ++counters_.spawned;
  spawner_->world().add(link_, root, {{}, PrefabStage::waiting});
  fail_unassigned(root, registry, type_id);
}

void DeferredSpawner::update() {
  World& world = spawner_->world();
  const std::span<const PrefabLink> links = world.values(link_);
  const std::span<const EntityId> owners = world.owners(link_);
  // `settle` adds links, so the entities are collected first.
  unsettled_.clear();
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (is_unsettled(links[i])) unsettled_.push_back(owners[i]);
  }
  for (const EntityId root : unsettled_) settle(root);
  const std::uint64_t version = world.storage(link_.id()).version();
  if (std::exchange(seen_version_, version) != version) drop_unneeded();
}

void DeferredSpawner::retry(BundleLoader& loader) {
  loader_ = &loader;
  requested_.clear();
  reported_types_.clear();
  for (PrefabLink& link : spawner_->world().values(link_)) {
    const bool has_failed =
        link.stage == PrefabStage::failed || link.stage == PrefabStage::replaced;
    if (link.asset == AssetReference()) continue;
    if (has_failed) link.stage = PrefabStage::waiting;
    request(asset_of(link));
  }
  if (!options_.placeholder.is_null()) request(options_.placeholder);
}

bool DeferredSpawner::is_waiting(EntityId root) const {
  const PrefabLink* const link = std::as_const(spawner_->world()).get(link_, root);
  return link != nullptr && link->stage == PrefabStage::waiting;
}

bool DeferredSpawner::is_placeholder(EntityId root) const {
  const PrefabLink* const link = std::as_const(spawner_->world()).get(link_, root);
  return link != nullptr &&
         (link->stage == PrefabStage::failed || link->stage == PrefabStage::replaced);
}

bool DeferredSpawner::is_visible(EntityId root) const {
  const World& world = spawner_->world();
  const PrefabLink* const link = world.get(link_, root);
  if (link == nullptr || world.is_despawning(root)) return false;
  return link->stage == PrefabStage::complete || has_placeholder(root);
}

std::size_t DeferredSpawner::waiting_count() const {
  const auto links = spawner_->world().values(link_);
  return static_cast<std::size_t>(
      std::ranges::count(links, PrefabStage::waiting, &PrefabLink::stage));
}

std::vector<Error> DeferredSpawner::drain_problems() { return std::exchange(problems_, {}); }

DeferredSpawner::RequestedAsset& DeferredSpawner::request(const Guid& asset) {
  const auto [found, is_new] = requested_.try_emplace(asset);
  RequestedAsset& requested = found->second;
  if (!is_new) return requested;
  Result<BundleHandle> bundle =
      loader_->request_asset(asset, {.priority = options_.priority, .deadline = {}});
  if (bundle) {
    requested.bundle = std::move(bundle.value());
  } else {
    requested.error = bundle.error();
  }
  return requested;
}

void DeferredSpawner::settle(EntityId root) {
  const PrefabLink link = *spawner_->world().get(link_, root);
  if (link.stage == PrefabStage::failed) return add_placeholder(root);
  const Guid asset = asset_of(link);
  const RequestedAsset& requested = request(asset);
  if (requested.error) return fail_root(root, asset, *requested.error);
  switch (requested.bundle.state()) {
    case LoadState::loading:
      return;
    case LoadState::ready:
      return complete(root, asset);
    case LoadState::failed:
      return fail_root(root, asset, requested.bundle.error());
  }
}

void DeferredSpawner::complete(EntityId root, const Guid& asset) {
  // The bundle is loaded, so this call does not wait for the disk.
  Result<const PrefabPlan*> plan = spawner_->prepare(asset);
  if (!plan) return fail_root(root, asset, plan.error());
  remove_placeholders(root);
  spawner_->world().get(link_, root)->stage = PrefabStage::complete;
  spawner_->instantiate_at(*plan.value(), root);
  ++counters_.completed;
}

void DeferredSpawner::fail_root(EntityId root, const Guid& asset, const Error& why) {
  ++counters_.failed;
  spawner_->world().get(link_, root)->stage = PrefabStage::failed;
  const bool is_reported = std::exchange(request(asset).is_reported, true);
  if (!is_reported && problems_.size() < kMaxProblems) problems_.push_back(why);
  add_placeholder(root);
}

// Type ids come from the network, so a repeated type id uses no memory and is not reported again.
void DeferredSpawner::fail_unassigned(EntityId root, RegistryIndex registry, TypeId type_id) {
  ++counters_.failed;
  spawner_->world().get(link_, root)->stage = PrefabStage::failed;
  const std::pair type(registry, type_id);
  if (reported_types_.size() < kMaxReportedTypes && problems_.size() < kMaxProblems &&
      reported_types_.insert(type).second) {
    problems_.push_back(spawner_->unassigned(registry, type_id));
  }
  add_placeholder(root);
}

// Spawns the placeholder below a root, if there is a placeholder and it is loaded.
void DeferredSpawner::add_placeholder(EntityId root) {
  if (options_.placeholder.is_null()) return;
  if (has_placeholder(root)) {
    spawner_->world().get(link_, root)->stage = PrefabStage::replaced;
    return;
  }
  const RequestedAsset& placeholder = request(options_.placeholder);
  if (placeholder.error || placeholder.bundle.state() != LoadState::ready) return;
  Result<const PrefabPlan*> plan = spawner_->prepare(options_.placeholder);
  if (!plan) return;
  World& world = spawner_->world();
  const EntityId child = spawner_->instantiate(*plan.value(), root).root;
  world.add(link_, child, {reference_to(options_.placeholder), PrefabStage::placeholder});
  world.get(link_, root)->stage = PrefabStage::replaced;
}

bool DeferredSpawner::is_placeholder_child(EntityId entity) const {
  const PrefabLink* const link = std::as_const(spawner_->world()).get(link_, entity);
  return link != nullptr && link->stage == PrefabStage::placeholder;
}

bool DeferredSpawner::has_placeholder(EntityId root) const {
  const World& world = spawner_->world();
  EntityId child = world.first_child(root);
  while (!child.is_null() && (!is_placeholder_child(child) || world.is_despawning(child))) {
    child = world.next_sibling(child);
  }
  return !child.is_null();
}

void DeferredSpawner::remove_placeholders(EntityId root) {
  World& world = spawner_->world();
  for (EntityId child = world.first_child(root); !child.is_null();
       child = world.next_sibling(child)) {
    if (is_placeholder_child(child)) world.request_despawn(child);
  }
}

// Releases the bundles that no entity uses. If a restore has brought back the entities of a
// released bundle, requests the bundle again.
void DeferredSpawner::drop_unneeded() {
  for (auto& [asset, requested] : requested_) requested.is_needed = asset == options_.placeholder;
  for (const PrefabLink& link : spawner_->world().values(link_)) {
    const Guid asset = asset_of(link);
    if (!asset.is_null()) request(asset).is_needed = true;
  }
  std::erase_if(requested_, [](const auto& row) { return !row.second.is_needed; });
}

}  // namespace muster
