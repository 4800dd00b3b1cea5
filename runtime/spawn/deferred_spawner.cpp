#include "runtime/spawn/deferred_spawner.h"

#include <algorithm>
#include <utility>

namespace muster {

EntityId DeferredSpawner::spawn(const Guid& asset, const EntityOptions& options) {
  const EntityId root = spawner_.world().create(options);
  ++counters_.spawned;
  Result<BundleHandle> bundle =
      loader_.request_asset(asset, {.priority = options_.priority, .deadline = {}});
  if (!bundle) {
    make_placeholder(root, asset, bundle.error());
  } else if (bundle.value().state() == LoadState::ready) {
    complete(root, asset);
  } else {
    waiting_.push_back({root, asset, std::move(bundle.value())});
  }
  return root;
}

EntityId DeferredSpawner::spawn_type(std::uint32_t registry, TypeId type_id,
                                     const EntityOptions& options) {
  const TypePlace* const place = spawner_.store().resolve(registry, type_id);
  if (place != nullptr) return spawn(place->guid, options);
  const EntityId root = spawner_.world().create(options);
  ++counters_.spawned;
  make_placeholder(root, Guid(), spawner_.unassigned(registry, type_id));
  return root;
}

void DeferredSpawner::update() {
  World& world = spawner_.world();
  std::erase_if(placeholders_, [&](EntityId root) { return !world.is_alive(root); });
  // Completing an entity spawns nothing deferred, so the list does not grow meanwhile.
  std::erase_if(waiting_, [&](Waiting& waiting) {
    if (!world.is_alive(waiting.root)) {
      ++counters_.gone;
      return true;
    }
    switch (waiting.bundle.state()) {
      case LoadState::loading:
        return false;
      case LoadState::ready:
        complete(waiting.root, waiting.asset);
        return true;
      case LoadState::failed:
        make_placeholder(waiting.root, waiting.asset, waiting.bundle.error());
        return true;
    }
    return false;
  });
}

bool DeferredSpawner::is_waiting(EntityId root) const {
  return std::ranges::find(waiting_, root, &Waiting::root) != waiting_.end();
}

bool DeferredSpawner::is_placeholder(EntityId root) const {
  return std::ranges::find(placeholders_, root) != placeholders_.end();
}

std::vector<Error> DeferredSpawner::take_problems() { return std::exchange(problems_, {}); }

void DeferredSpawner::complete(EntityId root, const Guid& asset) {
  // The bundle is there, so this copies, or says what is wrong with the asset.
  Result<const PrefabPlan*> plan = spawner_.prepare(asset);
  if (!plan) return make_placeholder(root, asset, plan.error());
  spawner_.instantiate_at(*plan.value(), root);
  ++counters_.completed;
}

void DeferredSpawner::make_placeholder(EntityId root, const Guid& asset, const Error& why) {
  ++counters_.placeholders;
  placeholders_.push_back(root);
  const auto place = std::ranges::lower_bound(told_, asset);
  if (place == told_.end() || *place != asset) {
    told_.insert(place, asset);
    if (problems_.size() < kMaxProblems) problems_.push_back(why);
  }
  if (options_.placeholder.is_null()) return;
  if (Result<const PrefabPlan*> plan = spawner_.prepare(options_.placeholder)) {
    spawner_.instantiate_at(*plan.value(), root);
  }
}

}  // namespace muster
