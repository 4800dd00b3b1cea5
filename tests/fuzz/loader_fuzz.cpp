// Content from nowhere on its whole way: loaded in the background, spawned, given up. The first
// byte says what the rest is: a bundle (0), or a prefab in a bundle that is sound (1). The catalog
// is a preview's, which leaves everything for the bundle itself to prove.
#include <cassert>

#include "bundler/pack/bundle_writer.h"
#include "bundler/pack/catalog_writer.h"
#include "runtime/assets/memory_source.h"
#include "runtime/spawn/deferred_spawner.h"
#include "runtime/spawn/level.h"
#include "tests/support/bundle_samples.h"

namespace {

using namespace muster;

constexpr std::uint64_t kAsset = 1;

ByteVector preview_catalog() {
  CatalogData data;
  data.is_preview = true;
  data.components = samples::components();
  const BundleName name = BundleName::of_prefab(samples::guid(kAsset));
  data.bundles = {{name, {}, 0, {}}};
  data.assets = {{samples::guid(kAsset), "Hostile.prefab", name}};
  return encode_catalog(data).value();
}

ByteVector bundle_of(std::uint8_t kind, Bytes rest) {
  if (kind % 2 == 0) {
    ByteVector file(rest.begin(), rest.end());
    if (file.size() >= 32) samples::fix_hash(file);
    return file;
  }
  const std::vector<PackEntry> entries = {
      {samples::guid(kAsset), kFlattenedPrefab, EntryKind::prefab, rest}};
  Result<ByteVector> packed = pack_bundle(entries, {.level = 1});
  return packed ? std::move(packed.value()) : ByteVector();
}

void load_and_spawn(const BundleSource& source) {
  BundleStore store = BundleStore::open(source, BundleStore::Catalogs::built_or_preview).value();
  SteppedLoads executor(source, store.catalog());
  BundleLoader loader(store, executor, {.memory_budget_bytes = std::uint64_t{64} << 20U});
  std::vector<ComponentDescription> components = samples::components();
  components.push_back(description_of<PrefabLink>());
  World world(components);
  Spawner spawner(store, world);
  DeferredSpawner deferred(spawner, loader, {});
  Level level(spawner, loader);
  const EntityId root = deferred.spawn(samples::guid(kAsset));
  level.load(samples::guid(kAsset));
  for (int i = 0; i < 4; ++i) {
    loader.update(Time());
    deferred.update();
    level.update();
  }
  assert(world.is_alive(root));
  assert(!deferred.is_waiting(root));
  assert(deferred.counters().completed + deferred.counters().failed == 1);
  assert(level.state() != LevelState::loading);
  (void)world.checksum();
  level.unload();
  world.request_despawn(root);
  world.process_despawns();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes rest = std::as_bytes(std::span(data, size)).subspan(1);
  MemorySource source;
  source.put(std::string(kCatalogFile), preview_catalog());
  source.put(BundleName::of_prefab(samples::guid(kAsset)).path(), bundle_of(data[0], rest));
  load_and_spawn(source);
  return 0;
}
