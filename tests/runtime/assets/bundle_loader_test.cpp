#include "runtime/assets/bundle_loader.h"

#include <array>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "tests/support/loader_stage.h"

namespace muster {
namespace {

using samples::guid;
using std::chrono::seconds;
using Fixture = samples::LoaderStage;

constexpr Time kStart{};

TEST_CASE("A bundle is loaded with its dependencies, each once", "[runtime][assets][sys-13]") {
  Fixture f;
  BundleHandle hero = f.request(samples::kHeroClient);
  BundleHandle crate = f.request(samples::kCrate);
  BundleHandle again = f.request(samples::kCrate);
  CHECK(hero.state() == LoadState::loading);
  f.loader.update(kStart);
  f.loader.update(kStart);
  CHECK(hero.state() == LoadState::ready);
  CHECK(crate.state() == LoadState::ready);
  CHECK(again.state() == LoadState::ready);
  CHECK(f.loader.counters().loaded == 3);  // Two prefabs and their common picture.
  CHECK(f.store.counters().bundles_opened == 3);
  CHECK(f.loader.memory_bytes() > 0);
  const auto read = f.store.counters().entries_read;
  CHECK(f.store.load(guid(samples::kPicture), kMainPayload).has_value());
  CHECK(f.store.counters().entries_read == read);  // The entry was decompressed in the background.
}

TEST_CASE("Loads are ordered by priority, then by deadline, then by request", "[runtime][assets]") {
  Fixture f(true, {.start_budget_bytes = 1});  // Starts one load at a time.
  std::vector<BundleHandle> handles;
  const auto request = [&](std::uint64_t asset, LoadPriority priority,
                           std::optional<Time> deadline) {
    handles.push_back(f.request(asset, {.priority = priority, .deadline = deadline}));
  };
  request(samples::kFlash, LoadPriority::hint, {});
  request(samples::kTracer, LoadPriority::visible, {});
  request(samples::kExplosion, LoadPriority::visible, kStart + seconds(9));
  request(samples::kFactory, LoadPriority::visible, kStart + seconds(5));
  request(samples::kCrateLook, LoadPriority::needed, {});
  request(samples::kFlash, LoadPriority::level, {});  // Another request with a higher priority.
  std::vector<std::uint32_t> order;
  for (int i = 0; i < 5; ++i) {
    f.loader.update(kStart);
    REQUIRE(f.executor.started_count() == 1);
    order.push_back(f.executor.started(0));
    f.executor.step();
  }
  CHECK(order ==
        std::vector<std::uint32_t>{f.bundle_of(samples::kCrateLook), f.bundle_of(samples::kFactory),
                                   f.bundle_of(samples::kExplosion), f.bundle_of(samples::kTracer),
                                   f.bundle_of(samples::kFlash)});
}

TEST_CASE("A bundle without requests is not loaded", "[runtime][assets]") {
  Fixture f(true);
  BundleHandle hero = f.request(samples::kHeroClient);
  BundleHandle crate = f.request(samples::kCrate);
  hero.release();
  f.loader.update(kStart);
  CHECK(f.executor.started_count() == 2);  // The crate, and the picture that both need.
  CHECK(f.loader.counters().cancelled == 1);
  // A load that has begun is completed, and its bundle is kept while there is room.
  f.executor.step();
  crate.release();
  CHECK(f.executor.started_count() == 0);
  CHECK(f.loader.counters().cancelled == 2);
  f.loader.update(kStart);
  CHECK(f.loader.counters().unwanted == 1);
  CHECK(f.loader.running_loads() == 0);
  BundleHandle late = f.request(samples::kCrate);
  f.loader.update(kStart);
  CHECK(f.executor.started_count() == 1);
  f.executor.step();
  f.loader.update(kStart);
  CHECK(late.state() == LoadState::ready);
  CHECK(f.store.counters().bundles_opened == 2);
}

TEST_CASE("A request after its deadline fails, and can be repeated", "[runtime][assets]") {
  Fixture f(true, {.start_budget_bytes = 1});
  BundleHandle first = f.request(samples::kTracer, {.priority = LoadPriority::needed});
  BundleHandle late = f.request(samples::kFlash, {.deadline = kStart + seconds(1)});
  f.loader.update(kStart);
  f.loader.update(kStart + seconds(2));
  CHECK(late.state() == LoadState::failed);
  CHECK(late.error().code == ErrorCode::timed_out);
  CHECK(first.state() == LoadState::loading);
  BundleHandle again = f.request(samples::kFlash);
  CHECK(late.state() == LoadState::loading);
  CHECK(f.loader.finish(again, kStart + seconds(3)) == LoadState::ready);
  CHECK(late.state() == LoadState::ready);
}

TEST_CASE("A failure is reported to every request, and can be retried", "[runtime][assets]") {
  Fixture f;
  const ByteVector good = f.files.files().at(f.file(samples::kCrate));
  REQUIRE(f.files.remove(f.file(samples::kCrate)).has_value());
  BundleHandle crate = f.request(samples::kCrate);
  CHECK(f.loader.finish(crate, kStart) == LoadState::failed);
  CHECK(crate.error().code == ErrorCode::not_found);
  CHECK(crate.error().message.find("Prefabs/Crate.prefab") != std::string::npos);
  ByteVector bad = good;
  bad[bad.size() / 2] ^= std::byte{1};
  REQUIRE(f.files.write(f.file(samples::kCrate), bad).has_value());
  BundleHandle again = f.request(samples::kCrate);
  CHECK(f.loader.finish(again, kStart) == LoadState::failed);
  CHECK(again.error().code == ErrorCode::hash_mismatch);
  REQUIRE(f.files.write(f.file(samples::kCrate), good).has_value());
  BundleHandle third = f.request(samples::kCrate);
  CHECK(f.loader.finish(third, kStart) == LoadState::ready);
  CHECK(crate.state() == LoadState::ready);
  CHECK(f.loader.counters().failed == 2);
}

TEST_CASE("A caller that has no other work can wait for one load after another",
          "[runtime][assets]") {
  Fixture f(true, {.start_budget_bytes = 1});  // Starts one load at a time.
  f.loader.wait(kStart);                       // Nothing is loading.
  const std::array handles{f.request(samples::kFlash), f.request(samples::kTracer)};
  int waits = 0;
  while (handles[0].state() == LoadState::loading || handles[1].state() == LoadState::loading) {
    f.loader.wait(kStart);
    REQUIRE(++waits < 10);
  }
  CHECK(f.loader.counters().loaded == 2);
}

TEST_CASE("An asset that is not in the build is an error", "[runtime][assets]") {
  Fixture f;
  CHECK(f.loader.request_asset(guid(9999)).error().code == ErrorCode::not_found);
  CHECK(BundleHandle().state() == LoadState::failed);
}

TEST_CASE("If memory exceeds its budget, the least recently used bundle is closed first",
          "[runtime][assets]") {
  Fixture probe;
  const auto memory_of = [&](std::uint64_t asset) {
    BundleHandle handle = probe.request(asset);
    const std::uint64_t before = probe.loader.memory_bytes();
    CHECK(probe.loader.finish(handle, kStart) == LoadState::ready);
    return probe.loader.memory_bytes() - before;
  };
  const std::uint64_t budget = memory_of(samples::kFlash) + memory_of(samples::kTracer) + 8;
  Fixture f(false, {.memory_budget_bytes = budget});
  BundleHandle flash = f.request(samples::kFlash);
  BundleHandle tracer = f.request(samples::kTracer);
  CHECK(f.loader.finish(flash, kStart) == LoadState::ready);
  CHECK(f.loader.finish(tracer, kStart) == LoadState::ready);
  // Two bundles have requests, so there is no room.
  BundleHandle look = f.request(samples::kCrateBroken);
  CHECK(f.loader.finish(look, kStart) == LoadState::failed);
  CHECK(look.error().code == ErrorCode::limit_exceeded);
  tracer.release();
  flash.release();
  BundleHandle again = f.request(samples::kCrateBroken);
  CHECK(f.loader.finish(again, kStart) == LoadState::ready);
  CHECK(f.loader.counters().evicted >= 1);
  CHECK_FALSE(f.store.is_open(f.bundle_of(samples::kTracer)));
  CHECK(f.loader.memory_bytes() <= budget);
}

TEST_CASE("A registry is preloaded completely", "[runtime][assets]") {
  Fixture f;
  std::vector<BundleHandle> handles =
      f.loader.request_registry(RegistryIndex{0}, {.priority = LoadPriority::level});
  REQUIRE_FALSE(handles.empty());
  for (const BundleHandle& handle : handles) {
    CHECK(f.loader.finish(handle, kStart) == LoadState::ready);
  }
}

TEST_CASE("With random requests, releases and completion order, no request is lost",
          "[runtime][assets][property]") {
  const auto seed = GENERATE(range(1U, 31U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const std::uint64_t budget = 2000 + random() % 60000;
  Fixture f(true, {.memory_budget_bytes = budget, .start_budget_bytes = 1 + random() % 3000});
  if (seed % 3 == 0) REQUIRE(f.files.remove(f.file(samples::kCrateLook)).has_value());
  std::vector<BundleHandle> handles;
  Time now = kStart;
  for (int round = 0; round < 400; ++round) {
    switch (random() % 9 / 2) {
      case 0: {
        const auto bundle = static_cast<std::uint32_t>(random() % f.store.catalog().bundle_count());
        LoadRequest wish{.priority = static_cast<LoadPriority>(random() % 4)};
        if (random() % 3 == 0) wish.deadline = now + std::chrono::milliseconds(random() % 90);
        handles.push_back(f.loader.request(bundle, wish));
        break;
      }
      case 1:
        if (!handles.empty()) {
          std::swap(handles[random() % handles.size()], handles.back());
          handles.pop_back();
        }
        break;
      case 2:
        if (f.executor.started_count() > 0) f.executor.step(random() % f.executor.started_count());
        break;
      case 4:
        f.loader.reload(static_cast<std::uint32_t>(random() % f.store.catalog().bundle_count()));
        break;
      default:
        now += std::chrono::milliseconds(16);
        f.loader.update(now);
        break;
    }
    REQUIRE(f.loader.memory_bytes() <= budget);
    for (const BundleHandle& handle : handles) {
      if (handle.state() == LoadState::ready) REQUIRE(f.store.is_open(handle.bundle()));
    }
  }
  // At the end each handle has a result.
  for (int round = 0; round < 200; ++round) {
    while (f.executor.started_count() > 0) f.executor.step();
    f.loader.update(now);
  }
  for (const BundleHandle& handle : handles) CHECK(handle.state() != LoadState::loading);
  CHECK(f.loader.running_loads() == 0);
}

TEST_CASE("Ten thousand requests are cancelled at random while threads load",
          "[runtime][assets][threads]") {
  const MemoryFileSystem files = samples::build();
  const FileSystemSource source(files, AssetPath::parse("client").value());
  BundleStore store = BundleStore::open(source).value();
  ThreadedLoads executor(source, store.catalog(), 3);
  BundleLoader loader(store, executor, {.memory_budget_bytes = 40000});
  std::mt19937 random(5);
  std::vector<BundleHandle> handles;
  for (int i = 0; i < 10000; ++i) {
    const auto bundle = static_cast<std::uint32_t>(random() % store.catalog().bundle_count());
    handles.push_back(
        loader.request(bundle, {.priority = static_cast<LoadPriority>(random() % 4)}));
    if (random() % 2 == 0) {
      std::swap(handles[random() % handles.size()], handles.back());
      handles.pop_back();
    }
    if (handles.size() > 20) handles.clear();
    if (i % 5 == 0) loader.update(kStart);
  }
  handles.clear();
  const std::uint32_t bundle = store.catalog().bundle_of(guid(samples::kCrate)).value();
  const BundleHandle last = loader.request(bundle);
  CHECK(loader.finish(last, kStart) == LoadState::ready);
  CHECK(loader.memory_bytes() <= 40000);
}

/// A source that throws `std::bad_alloc` for one bundle, or for all bundles.
class CrampedSource final : public BundleSource {
 public:
  explicit CrampedSource(const BundleSource& source, std::string refused = {})
      : source_(source), refused_(std::move(refused)) {}
  Result<std::unique_ptr<BundleFile>> open(std::string_view path,
                                           std::uint64_t max_bytes) const override {
    const bool is_refused = refused_.empty() ? path != kCatalogFile : path == refused_;
    if (is_refused) throw std::bad_alloc();
    return source_.open(path, max_bytes);
  }
  std::string name() const override { return source_.name(); }

 private:
  const BundleSource& source_;
  std::string refused_;
};

TEST_CASE("If the memory for one of many bundles cannot be allocated, only this bundle fails",
          "[runtime][assets][threads]") {
  const MemoryFileSystem files = samples::build();
  const FileSystemSource roomy(files, AssetPath::parse("client").value());
  const BundleStore whole = BundleStore::open(roomy).value();
  const CatalogReader& catalog = whole.catalog();
  const std::uint32_t bundle_count = catalog.bundle_count();
  REQUIRE(bundle_count > 2);
  // No other bundle depends on the crate's bundle.
  const std::uint32_t refused = catalog.bundle_of(guid(samples::kCrate)).value();
  const CrampedSource source(roomy, std::string(BundlePath(catalog.bundle(refused).name).view()));
  BundleStore store = BundleStore::open(source).value();
  ThreadedLoads executor(source, store.catalog(), 1);
  BundleLoader loader(store, executor, {});
  std::vector<BundleHandle> handles;
  for (std::uint32_t i = 0; i < bundle_count; ++i) handles.push_back(loader.request(i));
  for (std::uint32_t i = 0; i < bundle_count; ++i) {
    CAPTURE(i, refused);
    const LoadState wanted = i == refused ? LoadState::failed : LoadState::ready;
    CHECK(loader.finish(handles[i], kStart) == wanted);
  }
}

TEST_CASE("A load that cannot allocate memory fails, on any thread", "[runtime][assets][threads]") {
  const MemoryFileSystem files = samples::build();
  const FileSystemSource roomy(files, AssetPath::parse("client").value());
  const CrampedSource source(roomy);
  BundleStore store = BundleStore::open(source).value();
  ThreadedLoads executor(source, store.catalog(), 1);
  BundleLoader loader(store, executor, {});
  const BundleHandle handle = loader.request(0);
  CHECK(loader.finish(handle, kStart) == LoadState::failed);
  CHECK(handle.error().code == ErrorCode::limit_exceeded);
}

}  // namespace
}  // namespace muster
