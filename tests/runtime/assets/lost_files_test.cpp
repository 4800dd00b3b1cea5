// Files that are truncated, changed or removed while a store has them mapped.
#include <filesystem>

#include <catch2/catch.hpp>

#include "bundler/pack/catalog_writer.h"
#include "registry/base/mapping_guard.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/assets/disk_source.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/damage.h"
#include "tests/support/sample_build.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

namespace fs = std::filesystem;
using samples::guid;

// The client's part of the sample build on the disk, with mapped files.
struct MappedBuild {
  MappedBuild() {
    for (const auto& [path, bytes] : files.files()) folder.put(path.text(), as_text(bytes));
  }
  std::string full_path(const std::string& path) const { return folder.path() + "/client/" + path; }
  void truncate(const std::string& path) const { fs::resize_file(full_path(path), 0); }
  void restore(const std::string& path) const {
    folder.put("client/" + path,
               as_text(files.files().at(AssetPath::parse("client/" + path).value())));
  }

  MappingGuard guard;
  MemoryFileSystem files = samples::build();
  TemporaryFolder folder;
  MappedSource source{folder.path() + "/client"};
};

// A bundle with a stored and a compressed entry.
struct StoredBuild {
  explicit StoredBuild(EntryKind kind) {
    const std::vector<PackEntry> entries = {{guid(1), kMainPayload, kind, noise},
                                            {guid(2), kMainPayload, kind, text}};
    const ByteVector bytes = pack_bundle(entries).value();
    const BundleName name = BundleName::of_prefab(guid(1));
    CatalogData data;
    data.bundles.push_back(
        {name, BundleReader::open(bytes).value().bundle_hash(), bytes.size(), {}});
    data.assets.push_back({guid(1), "Noise.bytes", name});
    data.assets.push_back({guid(2), "Text.bytes", name});
    path = name.path();
    folder.put(path, as_text(bytes));
    folder.put(std::string(kCatalogFile), as_text(encode_catalog(data).value()));
  }

  MappingGuard guard;
  ByteVector noise = samples::noise(20'000, 1);
  ByteVector text = samples::compressible(20'000, 2);
  TemporaryFolder folder;
  std::string path;
  MappedSource source{folder.path()};
};

TEST_CASE("Loading from a bundle that was truncated while it was open is an error",
          "[runtime][assets][lost]") {
  const MappedBuild build;
  BundleStore store = BundleStore::open(build.source).value();
  const std::uint32_t crate = store.catalog().bundle_of(guid(samples::kCrate)).value();
  const std::string path = samples::bundle_path(samples::kCrate);
  REQUIRE(store.open_bundle(crate));
  build.truncate(path);
  const Error error = store.load(guid(samples::kCrate), kFlattenedPrefab).error();
  CAPTURE(error.message);
  CHECK(error.code == ErrorCode::io);
  CHECK(error.message.find(path) != std::string::npos);
  build.restore(path);
  store.close_bundle(crate);
  CHECK(store.load(guid(samples::kCrate), kFlattenedPrefab));
}

TEST_CASE("Decompressed data is still available when its file is lost", "[runtime][assets][lost]") {
  const MappedBuild build;
  BundleStore store = BundleStore::open(build.source).value();
  const LoadedEntry before = store.load(guid(samples::kPicture), kMainPayload).value();
  const std::uint32_t bundle = store.catalog().bundle_of(guid(samples::kPicture)).value();
  build.truncate(store.catalog().bundle(bundle).name.path());
  const LoadedEntry after = store.load(guid(samples::kPicture), kMainPayload).value();
  CHECK(after.bytes.data() == before.bytes.data());
  CHECK(std::ranges::equal(after.bytes, samples::compressible(20'000, 7)));
}

TEST_CASE("A bundle that was read completely is checked again", "[runtime][assets][lost]") {
  const StoredBuild build(EntryKind::raw);
  BundleStore store = BundleStore::open(build.source).value();
  const std::uint32_t bundle = 0;
  REQUIRE(store.load_bundles({&bundle, 1}));
  REQUIRE(store.load_bundles({&bundle, 1}));
  fs::resize_file(build.folder.path() + "/" + build.path, 0);
  CHECK(store.load_bundles({&bundle, 1}).error().code == ErrorCode::io);
}

TEST_CASE("A lost catalog does not affect its store", "[runtime][assets][lost]") {
  const MappedBuild build;
  BundleStore store = BundleStore::open(build.source).value();
  const ContentHash fingerprint = store.catalog().fingerprint();
  build.truncate(std::string(kCatalogFile));
  CHECK(store.catalog().fingerprint() == fingerprint);
  CHECK(store.load(guid(samples::kCrate), kFlattenedPrefab));
  CHECK(store.catalog().find_asset(guid(samples::kCrate)).has_value());
  CHECK_FALSE(BundleStore::open(build.source));
}

TEST_CASE("A raw entry is used in the mapped file, and a loss of the file is detected",
          "[runtime][assets][lost]") {
  const StoredBuild build(EntryKind::raw);
  BundleStore store = BundleStore::open(build.source).value();
  const LoadedEntry noise = store.load(guid(1), kMainPayload).value();
  CHECK(std::ranges::equal(noise.bytes, build.noise));
  CHECK(store.load(guid(2), kMainPayload));
  fs::resize_file(build.folder.path() + "/" + build.path, 0);
  // Existing views contain zeros. A later call detects the loss and fails.
  CHECK(noise.bytes[0] == std::byte{0});
  const Error error = store.load(guid(1), kMainPayload).error();
  CHECK(error.code == ErrorCode::io);
  CHECK(error.message.find(build.path) != std::string::npos);
}

TEST_CASE("A file that is truncated inside a page is detected as damaged",
          "[runtime][assets][lost]") {
  const StoredBuild build(EntryKind::raw);
  const std::string full_path = build.folder.path() + "/" + build.path;
  const std::uintmax_t size = fs::file_size(full_path);
  BundleStore store = BundleStore::open(build.source).value();
  REQUIRE(store.load(guid(1), kMainPayload));
  const auto opened = build.source.open(build.path, size);
  CHECK_FALSE(opened.value()->is_damaged());
  const bool is_by_one = GENERATE(true, false);
  fs::resize_file(full_path, is_by_one ? size - 1 : 5000);
  CHECK(opened.value()->is_damaged());
  CHECK(store.load(guid(1), kMainPayload).error().code == ErrorCode::io);
}

TEST_CASE("A file that is removed or replaced while mapped is unaffected",
          "[runtime][assets][lost]") {
  const StoredBuild build(EntryKind::raw);
  const std::string full_path = build.folder.path() + "/" + build.path;
  BundleStore store = BundleStore::open(build.source).value();
  const LoadedEntry noise = store.load(guid(1), kMainPayload).value();
  const bool is_replaced = GENERATE(false, true);
  if (is_replaced) {
    build.folder.put("other", "short");
    fs::rename(build.folder.path() + "/other", full_path);
  } else {
    fs::remove(full_path);
  }
  CHECK(std::ranges::equal(store.load(guid(1), kMainPayload).value().bytes, build.noise));
  CHECK(std::ranges::equal(noise.bytes, build.noise));
}

TEST_CASE("An entry with a structure is copied", "[runtime][assets][lost]") {
  const StoredBuild build(EntryKind::text);
  BundleStore store = BundleStore::open(build.source).value();
  const LoadedEntry noise = store.load(guid(1), kMainPayload).value();
  fs::resize_file(build.folder.path() + "/" + build.path, 0);
  CHECK(std::ranges::equal(noise.bytes, build.noise));
  CHECK(std::ranges::equal(store.load(guid(1), kMainPayload).value().bytes, build.noise));
  // An entry that was not read before is no longer available.
  CHECK_FALSE(store.load(guid(2), kMainPayload));
}

TEST_CASE("Bytes that change in the file of an open bundle never cause reads outside of the bundle",
          "[runtime][assets][lost]") {
  const EntryKind kind = GENERATE(EntryKind::raw, EntryKind::text);
  const StoredBuild build(kind);
  const ByteVector whole = [&] {
    const auto file = build.source.open(build.path, 1U << 20U);
    const Bytes bytes = file.value()->bytes();
    return ByteVector(bytes.begin(), bytes.end());
  }();
  BundleStore store = BundleStore::open(build.source).value();
  // The bytes of the header, two entries, their blocks, and a part of their content.
  const std::size_t tables = 512;
  for (std::size_t at = 0; at < tables; ++at) {
    for (const auto value : {std::byte{0}, std::byte{0x7F}, std::byte{0xFF}}) {
      CAPTURE(at, static_cast<int>(value));
      store.close_bundle(0);
      REQUIRE(store.open_bundle(0));
      build.folder.overwrite(build.path, at, std::string(1, static_cast<char>(value)));
      for (const std::uint64_t number : {1UL, 2UL}) {
        const Result<LoadedEntry> loaded = store.load(guid(number), kMainPayload);
        const ByteVector& expected = number == 1 ? build.noise : build.text;
        CHECK((!loaded || std::ranges::equal(loaded.value().bytes, expected)));
      }
      build.folder.overwrite(build.path, at, as_text(Bytes(whole).subspan(at, 1)));
    }
  }
}

}  // namespace
}  // namespace muster
