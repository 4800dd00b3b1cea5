#include "runtime/assets/bundle_store.h"

#include <algorithm>
#include <numeric>

#include <catch2/catch.hpp>

#include "bundler/pack/catalog_writer.h"
#include "registry/base/mapping_guard.h"
#include "runtime/assets/disk_source.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/damage.h"
#include "tests/support/sample_build.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

using samples::guid;

AssetPath path_of(const std::string& text) { return AssetPath::parse(text).value(); }

const AssetPath& client_folder() {
  static const AssetPath folder = path_of("client");
  return folder;
}

// The client's part of the sample build, with a store.
struct ClientBuild {
  MemoryFileSystem files = samples::build();
  FileSystemSource source{files, client_folder()};
  BundleStore store = BundleStore::open(source).value();

  ByteVector read(const std::string& path) const {
    return files.files().at(path_of("client/" + path));
  }
  void write(const std::string& path, Bytes bytes) {
    REQUIRE(files.write(path_of("client/" + path), bytes).has_value());
  }
  void remove(const std::string& path) {
    REQUIRE(files.remove(path_of("client/" + path)).has_value());
  }
};

RegistryIndex registry_index(const CatalogReader& catalog, std::string_view class_name) {
  for (std::uint32_t i = 0; i < catalog.registry_count(); ++i) {
    if (catalog.registry(RegistryIndex{i}).class_name == class_name) return RegistryIndex{i};
  }
  FAIL("no such registry");
  return {};
}

TEST_CASE("An asset is loaded by its guid, once", "[runtime][assets][sys-13]") {
  ClientBuild build;
  const LoadedEntry first = build.store.load(guid(samples::kPicture), kMainPayload).value();
  CHECK(first.kind == EntryKind::raw);
  CHECK(std::ranges::equal(first.bytes, samples::compressible(20000, 7)));
  const LoadedEntry again = build.store.load(guid(samples::kPicture), kMainPayload).value();
  CHECK(again.bytes.data() == first.bytes.data());
  CHECK(build.store.counters().entries_read == 1);
  CHECK(build.store.counters().cached_loads == 1);
  CHECK(build.store.counters().bundles_opened == 1);
}

TEST_CASE("Loading an asset again allocates nothing", "[runtime][assets][sys-13]") {
  ClientBuild build;
  const Guid crate = guid(samples::kCrate);
  REQUIRE(build.store.load(crate, kFlattenedPrefab));
  const std::uint64_t before = allocation_count();
  std::size_t bytes = 0;
  for (int i = 0; i < 100; ++i) {
    bytes += build.store.load(crate, kFlattenedPrefab).value().bytes.size();
  }
  CHECK(allocation_count() == before);
  CHECK(bytes > 0);
}

TEST_CASE("A bundle is opened with its dependencies", "[runtime][assets][sys-13]") {
  ClientBuild build;
  const std::uint32_t picture = build.store.catalog().bundle_of(guid(samples::kPicture)).value();
  const std::uint32_t crate = build.store.catalog().bundle_of(guid(samples::kCrate)).value();
  REQUIRE(build.store.load(guid(samples::kCrate), kFlattenedPrefab));
  CHECK(build.store.is_open(crate));
  CHECK(build.store.is_open(picture));
  CHECK(build.store.counters().bundles_opened == 2);
  build.store.close_bundle(picture);
  CHECK_FALSE(build.store.is_open(picture));
  // The next use opens the bundle again.
  REQUIRE(build.store.load(guid(samples::kCrate), kFlattenedPrefab));
  CHECK(build.store.is_open(picture));
}

TEST_CASE("If several bundles are loaded together, each bundle is read completely",
          "[runtime][assets][sys-13]") {
  ClientBuild build;
  BundleStore& store = build.store;
  std::vector<std::uint32_t> all;
  std::size_t entries = 0;
  for (std::uint32_t i = 0; i < store.catalog().bundle_count(); ++i) all.push_back(i);
  all.push_back(0);  // A duplicate is loaded once.
  REQUIRE(store.load_bundles(all));
  for (const std::uint32_t bundle : std::span(all).first(all.size() - 1)) {
    REQUIRE(store.is_open(bundle));
    entries += store.reader(bundle).entry_count();
  }
  const BundleStoreCounters& counters = store.counters();
  CHECK(counters.bundles_opened == all.size() - 1);
  CHECK(counters.entries_read == entries);
  CHECK(counters.failures == 0);
  const std::uint64_t plain_bytes = counters.plain_bytes;
  const std::uint64_t cached_loads = counters.cached_loads;
  REQUIRE(store.load_bundles(all));
  CHECK(counters.cached_loads >= cached_loads + entries);
  CHECK(store.load(guid(samples::kPicture), kMainPayload));
  CHECK(counters.entries_read == entries);
  CHECK(counters.plain_bytes == plain_bytes);
}

TEST_CASE("Loading several bundles together stops at a damaged bundle, and can be retried",
          "[runtime][assets][sys-13]") {
  ClientBuild build;
  BundleStore& store = build.store;
  const std::string path = samples::bundle_path(samples::kCrate);
  const ByteVector sound = build.read(path);
  ByteVector damaged = sound;
  damaged.back() ^= std::byte{1};
  build.write(path, damaged);
  std::vector<std::uint32_t> all(store.catalog().bundle_count());
  std::iota(all.begin(), all.end(), 0U);
  const Error error = store.load_bundles(all).error();
  CHECK(error.code == ErrorCode::hash_mismatch);
  CHECK(error.message.find(path) != std::string::npos);
  CHECK_FALSE(store.is_open(store.catalog().bundle_of(guid(samples::kCrate)).value()));
  CHECK(store.counters().failures == 1);
  build.write(path, sound);
  REQUIRE(store.load_bundles(all));
  CHECK(std::ranges::all_of(all, [&](std::uint32_t bundle) { return store.is_open(bundle); }));
}

TEST_CASE("The type id of an asset is found by guid", "[runtime][assets][sys-5]") {
  ClientBuild build;
  const CatalogReader& catalog = build.store.catalog();
  for (std::uint32_t index = 0; index < catalog.registry_count(); ++index) {
    const CatalogRegistry registry = catalog.registry(RegistryIndex{index});
    for (std::uint32_t i = 0; i < registry.entry_count; ++i) {
      const CatalogEntry entry = catalog.entry(registry.first_entry + i);
      CAPTURE(entry.guid.to_string());
      CHECK(build.store.type_id_of(RegistryIndex{index}, entry.guid) == entry.type_id);
    }
    CHECK_FALSE(build.store.type_id_of(RegistryIndex{index}, guid(9999)));
    CHECK_FALSE(build.store.type_id_of(RegistryIndex{index}, Guid()));
  }
  CHECK_FALSE(
      build.store.type_id_of(RegistryIndex{catalog.registry_count()}, guid(samples::kCrate)));
}

TEST_CASE("A type id is resolved to guid and bundle", "[runtime][assets][sys-2]") {
  ClientBuild build;
  const CatalogReader& catalog = build.store.catalog();
  const RegistryIndex replicated = registry_index(catalog, "ReplicatedEntity");
  const ResolvedType* const crate = build.store.resolve(replicated, TypeId(2));
  REQUIRE(crate != nullptr);
  CHECK(crate->guid == guid(samples::kCrate));
  CHECK(crate->bundle == catalog.bundle_of(guid(samples::kCrate)));
  CHECK(catalog.entry(crate->entry).type_id == TypeId(2));
  for (const std::uint32_t unassigned : {0U, 4U, TypeId::kMax, 0xFFFFFFFFU}) {
    CHECK(build.store.resolve(replicated, TypeId(unassigned)) == nullptr);
  }
  CHECK(build.store.resolve(RegistryIndex{catalog.registry_count()}, TypeId(1)) == nullptr);
  CHECK(build.store.resolve(RegistryIndex{0xFFFFFFFF}, TypeId(1)) == nullptr);
}

TEST_CASE("The table has the same entry as the catalog for every id", "[runtime][assets][sys-2]") {
  const ByteVector bytes = encode_catalog(samples::catalog()).value();
  const CatalogReader catalog = CatalogReader::open(bytes).value();
  const TypeTable table(catalog);
  for (std::uint32_t i = 0; i < catalog.registry_count(); ++i) {
    const CatalogRegistry registry = catalog.registry(RegistryIndex{i});
    for (std::uint32_t id = 0; id < 10; ++id) {
      CAPTURE(i, id);
      const std::optional<CatalogEntry> expected = catalog.resolve(registry, TypeId(id));
      const ResolvedType* const resolved = table.find(RegistryIndex{i}, TypeId(id));
      REQUIRE(expected.has_value() == (resolved != nullptr));
      if (resolved == nullptr) continue;
      CHECK(catalog.entry(resolved->entry).type_id == TypeId(id));
      CHECK(catalog.entry(resolved->entry).guid == resolved->guid);
      CHECK(catalog.entry(resolved->entry).bundle == resolved->bundle);
    }
  }
}

TEST_CASE("A missing asset is an error that names the asset", "[runtime][assets][sys-13]") {
  ClientBuild build;
  const Error unknown = build.store.load(guid(999), kMainPayload).error();
  CHECK(unknown.code == ErrorCode::not_found);
  CHECK(unknown.message.find(guid(999).to_string()) != std::string::npos);
  CHECK(build.store.load(guid(samples::kPicture), kFlattenedPrefab).error().code ==
        ErrorCode::not_found);
  build.remove(samples::bundle_path(samples::kFactory));
  const Error missing = build.store.load(guid(samples::kFactory), kFlattenedPrefab).error();
  CHECK(missing.code == ErrorCode::not_found);
  CHECK(missing.message.find("Factories/Spectator.asset") != std::string::npos);
  CHECK(missing.message.find(guid(samples::kFactory).to_string()) != std::string::npos);
  CHECK(build.store.counters().failures == 3);
}

TEST_CASE("A failed load can be repeated", "[runtime][assets][sys-13]") {
  ClientBuild build;
  const std::string path = samples::bundle_path(samples::kCrate);
  const ByteVector whole = build.read(path);
  build.remove(path);
  CHECK_FALSE(build.store.load(guid(samples::kCrate), kFlattenedPrefab));
  build.write(path, whole);
  CHECK(build.store.load(guid(samples::kCrate), kFlattenedPrefab));
}

TEST_CASE("A bundle store refuses a truncated bundle of any length", "[runtime][assets][sys-13]") {
  ClientBuild build;
  const std::string path = samples::bundle_path(samples::kCrate);
  damage::each_truncation(build.read(path), [&](const ByteVector& shorter) {
    CAPTURE(shorter.size());
    build.write(path, shorter);
    const Result<LoadedEntry> loaded = build.store.load(guid(samples::kCrate), kFlattenedPrefab);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == ErrorCode::truncated);
    CHECK(loaded.error().message.find("Prefabs/Crate.prefab") != std::string::npos);
  });
}

TEST_CASE("Every flipped bit of a bundle is detected before use", "[runtime][assets][sys-13]") {
  ClientBuild build;
  const std::string path = samples::bundle_path(samples::kCrate);
  damage::each_flip(build.read(path), [&](std::size_t offset, ByteVector& damaged) {
    CAPTURE(offset);
    build.write(path, damaged);
    CHECK_FALSE(build.store.load(guid(samples::kCrate), kFlattenedPrefab));
  });
  CHECK(build.store.load(guid(samples::kFactory), kFlattenedPrefab));
}

TEST_CASE("A valid bundle of another build is refused", "[runtime][assets][sys-13]") {
  ClientBuild build;
  // The bundle is valid and has the correct name, but another hash than in the catalog.
  build.write(samples::bundle_path(samples::kCrateLook),
              build.read(samples::bundle_path(samples::kCrateBroken)));
  const Error error = build.store.load(guid(samples::kCrateLook), kFlattenedPrefab).error();
  CHECK(error.code == ErrorCode::hash_mismatch);
  CHECK(error.message.find("Looks/Crate.prefab") != std::string::npos);
}

TEST_CASE("A bundle that is larger than in the catalog has another hash",
          "[runtime][assets][sys-13]") {
  const std::size_t more = GENERATE(1U, 100U, 100'000U);
  CAPTURE(more);
  ClientBuild build;
  ByteVector larger = build.read(samples::bundle_path(samples::kCrate));
  larger.resize(larger.size() + more);
  build.write(samples::bundle_path(samples::kCrate), larger);
  const Error error = build.store.load(guid(samples::kCrate), kFlattenedPrefab).error();
  CAPTURE(error.message);
  CHECK(error.code == ErrorCode::hash_mismatch);
}

TEST_CASE("The error for a damaged dependency names the dependency and the bundle that needs it",
          "[runtime][assets][sys-13]") {
  ClientBuild build;
  const CatalogReader& catalog = build.store.catalog();
  const std::uint32_t picture = catalog.bundle_of(guid(samples::kPicture)).value();
  const std::string path = catalog.bundle(picture).name.path();
  ByteVector bytes = build.read(path);
  bytes.back() ^= std::byte{1};
  build.write(path, bytes);
  const Error error = build.store.load(guid(samples::kCrate), kFlattenedPrefab).error();
  CHECK(error.code == ErrorCode::hash_mismatch);
  CHECK(error.message.find("Prefabs/Crate.prefab") != std::string::npos);
  CHECK(error.message.find(path) != std::string::npos);
  CHECK(build.store.load(guid(samples::kFactory), kFlattenedPrefab));
}

TEST_CASE("A store does not open without a valid catalog", "[runtime][assets][sys-13]") {
  MemoryFileSystem files = samples::build();
  const FileSystemSource nowhere(files, path_of("elsewhere"));
  const Error missing = BundleStore::open(nowhere).error();
  CHECK(missing.code == ErrorCode::not_found);
  CHECK(missing.message.find("elsewhere/catalog.mcat") != std::string::npos);
  const ByteVector whole = files.files().at(path_of("client/catalog.mcat"));
  const FileSystemSource source(files, client_folder());
  damage::each_flip(whole, [&](std::size_t offset, ByteVector& damaged) {
    CAPTURE(offset);
    REQUIRE(files.write(path_of("client/catalog.mcat"), damaged).has_value());
    CHECK_FALSE(BundleStore::open(source));
  });
}

TEST_CASE("Mapped files have the same content as files that are read",
          "[runtime][assets][sys-13]") {
  const MemoryFileSystem files = samples::build();
  const TemporaryFolder folder;
  for (const auto& [path, bytes] : files.files()) folder.put(path.text(), as_text(bytes));
  const FileSystemSource read_source(files, client_folder());
  const MappingGuard guard;
  const MappedSource mapped_source(folder.path() + "/client");
  BundleStore read = BundleStore::open(read_source).value();
  BundleStore mapped = BundleStore::open(mapped_source).value();
  REQUIRE(read.catalog().fingerprint() == mapped.catalog().fingerprint());
  for (std::uint32_t i = 0; i < read.catalog().bundle_count(); ++i) {
    REQUIRE(read.open_bundle(i));
    REQUIRE(mapped.open_bundle(i));
    for (std::uint32_t n = 0; n < read.reader(i).entry_count(); ++n) {
      const BundleEntry entry = read.reader(i).entry(n);
      const Bytes a = read.load_from(i, entry.guid, entry.local_id).value().bytes;
      const Bytes b = mapped.load_from(i, entry.guid, entry.local_id).value().bytes;
      CHECK(std::ranges::equal(a, b));
    }
  }
  CHECK(mapped_source.open("catalog.mcat", 10).error().code == ErrorCode::limit_exceeded);
  CHECK(mapped_source.open("none", 10).error().code == ErrorCode::not_found);
  CHECK(mapped_source.open("../server/catalog.mcat", 9999).error().code ==
        ErrorCode::invalid_argument);
  CHECK(read_source.open("../server/catalog.mcat", 9999).error().code ==
        ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace muster
