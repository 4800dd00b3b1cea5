// Bundles that change or are lost while a loader uses them, and are loaded again.
#include <array>
#include <atomic>
#include <filesystem>
#include <thread>

#include <catch2/catch.hpp>

#include "registry/base/mapping_guard.h"
#include "runtime/assets/disk_source.h"
#include "tests/support/loader_stage.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

namespace fs = std::filesystem;
using samples::guid;
using samples::LoaderStage;

constexpr Time kStart{};

TEST_CASE("A bundle is loaded again for its requests", "[runtime][assets]") {
  LoaderStage stage;
  const BundleHandle crate = stage.request(samples::kCrate);
  const std::uint32_t bundle = stage.bundle_of(samples::kCrate);
  CHECK(stage.loader.finish(crate, kStart) == LoadState::ready);
  const std::uint64_t before = stage.loader.memory_bytes();
  stage.loader.reload(bundle);
  CHECK(crate.state() == LoadState::loading);
  CHECK_FALSE(stage.store.is_open(bundle));
  CHECK(stage.loader.memory_bytes() < before);
  CHECK(stage.loader.finish(crate, kStart) == LoadState::ready);
  CHECK(stage.store.is_open(bundle));
  CHECK(stage.loader.memory_bytes() == before);
  CHECK(stage.loader.counters().loaded == 3);  // The picture, its dependency, was not loaded again.
}

TEST_CASE("A bundle without requests is closed and not loaded", "[runtime][assets]") {
  LoaderStage stage;
  (void)stage.loader.finish(stage.request(samples::kCrate), kStart);
  stage.loader.reload(stage.bundle_of(samples::kCrate));
  stage.loader.reload(stage.bundle_of(samples::kFlash));
  stage.loader.update(kStart);
  CHECK(stage.loader.running_loads() == 0);
  CHECK_FALSE(stage.store.is_open(stage.bundle_of(samples::kCrate)));
  CHECK_FALSE(stage.store.is_open(stage.bundle_of(samples::kFlash)));
}

TEST_CASE("A failed bundle is loaded again, and a loading bundle continues", "[runtime][assets]") {
  LoaderStage stage(true);
  const ByteVector good = stage.files.files().at(stage.file(samples::kFlash));
  REQUIRE(stage.files.remove(stage.file(samples::kFlash)).has_value());
  const BundleHandle flash = stage.request(samples::kFlash);
  const std::uint32_t bundle = stage.bundle_of(samples::kFlash);
  stage.loader.reload(bundle);
  stage.loader.update(kStart);
  stage.loader.reload(bundle);
  CHECK(stage.executor.started_count() == 1);
  CHECK(stage.loader.finish(flash, kStart) == LoadState::failed);
  REQUIRE(stage.files.write(stage.file(samples::kFlash), good).has_value());
  stage.loader.reload(bundle);
  CHECK(stage.loader.finish(flash, kStart) == LoadState::ready);
}

// The sample build on the disk.
struct WrittenBuild {
  WrittenBuild() {
    for (const auto& [path, bytes] : files.files()) folder.put(path.text(), as_text(bytes));
  }
  fs::path full_path(std::uint64_t asset) const {
    return folder.path() + "/client/" + samples::bundle_path(asset);
  }
  void restore(std::uint64_t asset) const {
    const std::string path = "client/" + samples::bundle_path(asset);
    folder.put(path + ".new", as_text(files.files().at(AssetPath::parse(path).value())));
    fs::rename(folder.path() + "/" + path + ".new", folder.path() + "/" + path);
  }

  MemoryFileSystem files = samples::build();
  TemporaryFolder folder;
};

// The mapped client files of the build, with a loader and threads.
struct MappedStage : WrittenBuild {
  MappingGuard guard;
  MappedSource source{folder.path() + "/client"};
  BundleStore store = BundleStore::open(source).value();
  ThreadedLoads executor{source, store.catalog(), 2, store.memory()};
  BundleLoader loader{store, executor, {}};
};

TEST_CASE("Lost data of a mapped file is available again when the file is restored",
          "[runtime][assets][lost]") {
  MappedStage stage;
  const BundleHandle crate = stage.loader.request_asset(guid(samples::kCrate)).value();
  REQUIRE(stage.loader.finish(crate, kStart) == LoadState::ready);
  fs::resize_file(stage.full_path(samples::kCrate), 0);
  // Decompressed data is still available.
  CHECK(stage.store.load(guid(samples::kCrate), kFlattenedPrefab).has_value());
  stage.loader.reload(crate.bundle());
  CHECK(stage.loader.finish(crate, kStart) == LoadState::failed);
  stage.restore(samples::kCrate);
  stage.loader.reload(crate.bundle());
  CHECK(stage.loader.finish(crate, kStart) == LoadState::ready);
  CHECK(stage.store.load(guid(samples::kCrate), kFlattenedPrefab).has_value());
}

TEST_CASE("If files are truncated while threads load them, only these loads fail",
          "[runtime][assets][lost][threads]") {
  MappedStage stage;
  constexpr std::array<std::uint64_t, 4> kAssets = {samples::kCrate, samples::kFlash,
                                                    samples::kTracer, samples::kHeroClient};
  std::atomic<bool> is_over{false};
  std::jthread vandal([&] {
    for (std::size_t round = 0; !is_over; ++round) {
      const std::uint64_t asset = kAssets[round % kAssets.size()];
      std::error_code ignored;
      fs::resize_file(stage.full_path(asset), round % 2 * (round * 37 % 190), ignored);
      stage.restore(asset);
    }
  });
  std::size_t outcomes = 0;
  for (int round = 0; round < 150; ++round) {
    std::vector<BundleHandle> handles;
    for (const std::uint64_t asset : kAssets) {
      handles.push_back(stage.loader.request_asset(guid(asset)).value());
    }
    for (const BundleHandle& handle : handles) {
      if (stage.loader.finish(handle, kStart) == LoadState::failed) {
        const ErrorCode code = handle.error().code;
        CAPTURE(handle.error().message);
        CHECK((code == ErrorCode::io || code == ErrorCode::truncated ||
               code == ErrorCode::hash_mismatch || code == ErrorCode::malformed));
      }
      ++outcomes;
    }
    for (std::uint32_t i = 0; i < stage.store.catalog().bundle_count(); ++i) stage.loader.reload(i);
  }
  is_over = true;
  vandal.join();
  CHECK(outcomes == 150 * kAssets.size());
  for (const std::uint64_t asset : kAssets) {
    const BundleHandle handle = stage.loader.request_asset(guid(asset)).value();
    stage.loader.reload(handle.bundle());
    CHECK(stage.loader.finish(handle, kStart) == LoadState::ready);
  }
}

}  // namespace
}  // namespace muster
