// The sample build's client with a world, a loader and spawners.
#pragma once

#include "runtime/spawn/deferred_spawner.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/sample_build.h"

namespace muster::samples {

struct SpawnStage {
  explicit SpawnStage(const Guid& placeholder = {})
      : deferred(spawner, loader, {.placeholder = placeholder}) {}

  void load() {
    for (int i = 0; i < 4; ++i) loader.update(Time{});
    deferred.update();
  }

  MemoryFileSystem files = build();
  FileSystemSource source{files, AssetPath::parse("client").value()};
  BundleStore store = BundleStore::open(source).value();
  SteppedLoads executor{source, store.catalog()};
  BundleLoader loader{store, executor, {}};
  World world{game_components_with_links()};
  Spawner spawner{store, world};
  DeferredSpawner deferred;
  ComponentHandle<Life> life = world.component<Life>("Life");
  ComponentHandle<Body> body = world.component<Body>("Body");
};

}  // namespace muster::samples
