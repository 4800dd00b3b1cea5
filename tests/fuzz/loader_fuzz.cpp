// Loads untrusted content in the background, spawns it and releases it. The first byte of the input
// is the kind of the other bytes:
//
//     0  a bundle: the catalog is a preview's, so that the bundle must prove everything
//     1  a prefab in a valid bundle
//     2  a build: a byte of layers, then a catalog and files, each with its length as u32. The
//        files are the bundles of the catalog, in order; each of the first eight whose bit is set
//        is in a patch above the others. Hashes are corrected, so that damage gets past them; if
//        the highest bit of the layers is set, the catalog has the hashes of its files.
#include <algorithm>
#include <cassert>
#include <utility>

#include "bundler/pack/bundle_writer.h"
#include "bundler/pack/catalog_writer.h"
#include "runtime/assets/memory_source.h"
#include "runtime/assets/stacked_source.h"
#include "runtime/bundle/little_endian.h"
#include "runtime/spawn/deferred_spawner.h"
#include "runtime/spawn/level.h"
#include "tests/support/bundle_samples.h"

namespace {

using namespace muster;

constexpr std::uint64_t kAsset = 1;
constexpr std::uint64_t kBudgetBytes = std::uint64_t{64} << 20U;
constexpr std::uint32_t kMaxBundles = 32;  // Larger inputs are slow and find no other errors.
constexpr std::uint8_t kIsPromised = 0x80;

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
  if (kind == 0) {
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

// Removes a piece from the front. If the stated length exceeds the remaining bytes, the piece is
// all remaining bytes.
Bytes extract_piece(Bytes& rest) {
  if (rest.size() < 4) return std::exchange(rest, {});
  const auto length = load<std::uint32_t>(rest, 0);
  rest = rest.subspan(4);
  const Bytes piece = rest.first(std::min<std::size_t>(length, rest.size()));
  rest = rest.subspan(piece.size());
  return piece;
}

// Writes the size and the hash of these bytes into the catalog's row of a bundle. Requires: a valid
// catalog.
void promise(ByteVector& catalog, std::uint32_t bundle, const ByteVector& file) {
  using namespace layout::catalog;  // NOLINT(google-build-using-namespace)
  const std::size_t at = load<std::uint32_t>(catalog, header::kBytes + directory::kOffsetAt) +
                         std::size_t{bundle} * kRecordBytes[0];
  const ContentHash hash = hash_bytes(Bytes(file).subspan(layout::bundle::header::kHashedFrom));
  std::ranges::copy(std::as_bytes(std::span(hash.bytes)),
                    catalog.begin() + static_cast<std::ptrdiff_t>(at + bundle_record::kHashAt));
  for (std::size_t i = 0; i < 8; ++i) {
    catalog[at + bundle_record::kFileBytesAt + i] =
        static_cast<std::byte>(std::uint64_t{file.size()} >> (8 * i));
  }
}

struct Layers {
  std::unique_ptr<MemorySource> base = std::make_unique<MemorySource>("base");
  std::unique_ptr<MemorySource> patch = std::make_unique<MemorySource>("patch");
};

// Splits an input into the layers of a build.
Layers layers_of(Bytes rest) {
  Layers layers;
  const std::uint8_t layer_bits = rest.empty() ? 0 : std::to_integer<std::uint8_t>(rest[0]);
  if (!rest.empty()) rest = rest.subspan(1);
  const Bytes piece = extract_piece(rest);
  ByteVector catalog(piece.begin(), piece.end());
  if (catalog.size() >= 32) samples::fix_hash(catalog);
  // The reader uses a copy without these changes.
  const ByteVector unpromised = catalog;
  if (Result<CatalogReader> reader = CatalogReader::open(unpromised)) {
    const std::uint32_t count = std::min(reader.value().bundle_count(), kMaxBundles);
    for (std::uint32_t i = 0; i < count && !rest.empty(); ++i) {
      const Bytes next = extract_piece(rest);
      ByteVector file(next.begin(), next.end());
      if (file.size() >= 32) samples::fix_hash(file);
      const bool is_promised = (layer_bits & kIsPromised) != 0 && !reader.value().is_preview();
      if (is_promised && file.size() >= 32) promise(catalog, i, file);
      const bool is_patched = i < 8 && (layer_bits >> i & 1U) != 0;
      (is_patched ? layers.patch : layers.base)
          ->put(reader.value().bundle(i).name.path(), std::move(file));
    }
    if (catalog.size() >= 32) samples::fix_hash(catalog);
  }
  layers.base->put(std::string(kCatalogFile), std::move(catalog));
  return layers;
}

// Requests all bundles, in an order and with deadlines that depend on the catalog. Releases some
// bundles and loads some of these again.
void load_in_background(BundleStore& store, const BundleSource& source) {
  SteppedLoads executor(source, store.catalog(), true, store.memory());
  BundleLoader loader(store, executor, {.memory_budget_bytes = kBudgetBytes});
  const std::uint32_t count = std::min(store.catalog().bundle_count(), kMaxBundles);
  std::vector<BundleHandle> handles;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint8_t salt = store.catalog().bundle(i).name.bytes[i % 16];
    LoadRequest wish{.priority = static_cast<LoadPriority>(salt % kLoadPriorities), .deadline = {}};
    if (salt % 5 == 0) wish.deadline = Time() + Duration(salt);
    handles.push_back(loader.request(i, wish));
    if (salt % 3 == 0) handles.pop_back();
    if (salt % 4 == 0) loader.update(Time() + Duration(i));
    if (salt % 7 == 0) loader.reload(i);
    if (executor.started_count() > 0) executor.step(salt % executor.started_count());
    assert(loader.memory_bytes() <= kBudgetBytes);
  }
  for (const BundleHandle& handle : handles) {
    const LoadState state = loader.finish(handle, Time());
    assert(state != LoadState::loading);
    assert(state == LoadState::failed || store.is_open(handle.bundle()));
    assert(loader.memory_bytes() <= kBudgetBytes);
  }
}

// Uses a build as a game does.
void use_build(const BundleSource& source) {
  Result<BundleStore> opened = BundleStore::open(source, BundleStore::Catalogs::built_or_preview);
  if (!opened) return;
  BundleStore& store = opened.value();
  const CatalogReader& catalog = store.catalog();
  load_in_background(store, source);
  for (std::uint32_t i = 0; i < std::min(catalog.registry_count(), kMaxBundles); ++i) {
    for (std::uint32_t id = 0; id < kMaxBundles; ++id)
      (void)store.resolve(RegistryIndex{i}, TypeId(id));
  }
  World world(samples::components());
  Spawner spawner(store, world);
  for (std::uint32_t i = 0; i < std::min(catalog.asset_count(), kMaxBundles); ++i) {
    const Guid asset = catalog.asset(i).guid;
    (void)store.load(asset, kMainPayload);
    (void)store.load(asset, kFlattenedPrefab);
    const auto spawned = spawner.spawn(asset);
    assert(!spawned || world.is_alive(spawned.value().root));
  }
  (void)world.checksum();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes rest = std::as_bytes(std::span(data, size)).subspan(1);
  if (data[0] % 3 == 2) {
    Layers layers = layers_of(rest);
    StackedSource stack;
    stack.push(std::move(layers.base));
    stack.push(std::move(layers.patch));
    use_build(stack);
    return 0;
  }
  MemorySource source;
  source.put(std::string(kCatalogFile), preview_catalog());
  source.put(BundleName::of_prefab(samples::guid(kAsset)).path(), bundle_of(data[0] % 3, rest));
  load_and_spawn(source);
  return 0;
}
