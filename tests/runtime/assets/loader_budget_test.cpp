// The memory budget of a loader.
#include <numeric>

#include <catch2/catch.hpp>

#include "runtime/assets/bundle_loader.h"
#include "tests/support/plain_bundles.h"

namespace muster {
namespace {

using samples::plain_asset;
using samples::plain_bundles;

constexpr Time kStart{};
constexpr std::size_t kKilobyte = 1024;

struct Stage {
  Stage(const std::vector<std::size_t>& sizes, std::uint64_t budget, bool is_manual = false)
      : source(plain_bundles(sizes)),
        executor(source, store.catalog(), is_manual, store.memory()),
        loader(store, executor, {.memory_budget_bytes = budget}) {}

  BundleHandle request(std::size_t index) {
    return loader.request_asset(plain_asset(index)).value();
  }
  LoadState load(std::size_t index) { return loader.finish(request(index), kStart); }
  bool is_open(std::size_t index) const {
    return store.is_open(store.catalog().bundle_of(plain_asset(index)).value());
  }
  /// Returns the used memory, computed without the loader.
  std::uint64_t used_bytes() const {
    std::uint64_t sum = store.memory()->kept_bytes();
    for (std::uint32_t i = 0; i < store.catalog().bundle_count(); ++i) sum += store.memory_bytes(i);
    return sum;
  }

  MemorySource source;
  BundleStore store = BundleStore::open(source).value();
  SteppedLoads executor;
  BundleLoader loader;
};

TEST_CASE("Evicted bundles do not use memory beyond the budget", "[runtime][assets]") {
  const std::vector<std::size_t> sizes(12, 300 * kKilobyte);
  Stage stage(sizes, 1000 * kKilobyte);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CAPTURE(i);
    CHECK(stage.load(i) == LoadState::ready);
    CHECK(stage.used_bytes() <= 1000 * kKilobyte);
    CHECK(stage.loader.memory_bytes() == stage.used_bytes());
  }
  CHECK(stage.loader.counters().evicted == 9);
}

TEST_CASE("Buffers of closed bundles are reused, and freed before any bundle is closed",
          "[runtime][assets]") {
  Stage stage({300 * kKilobyte, 299 * kKilobyte, 500 * kKilobyte}, 900 * kKilobyte);
  CHECK(stage.load(0) == LoadState::ready);
  stage.loader.store().close_bundle(stage.store.catalog().bundle_of(plain_asset(0)).value());
  CHECK(stage.store.memory()->kept_bytes() == 300 * kKilobyte);
  Stage other({300 * kKilobyte, 299 * kKilobyte, 500 * kKilobyte}, 900 * kKilobyte);
  CHECK(other.load(0) == LoadState::ready);
  CHECK(other.load(2) == LoadState::ready);
  // The first bundle is closed, and its buffer is reused.
  CHECK(other.load(1) == LoadState::ready);
  CHECK_FALSE(other.is_open(0));
  CHECK(other.store.memory_bytes(other.store.catalog().bundle_of(plain_asset(1)).value()) >=
        299 * kKilobyte);
  CHECK(other.used_bytes() <= 900 * kKilobyte);
}

TEST_CASE(
    "A bundle that is opened without the loader uses the loader's budget, but the loader never "
    "closes it",
    "[runtime][assets]") {
  Stage stage({300 * kKilobyte, 300 * kKilobyte, 300 * kKilobyte, 300 * kKilobyte},
              1000 * kKilobyte);
  CHECK(stage.load(0) == LoadState::ready);
  const LoadedEntry kept = stage.store.load(plain_asset(1), kMainPayload).value();
  CHECK(stage.loader.memory_bytes() == stage.used_bytes());
  CHECK(stage.load(2) == LoadState::ready);
  CHECK(stage.load(3) == LoadState::ready);
  CHECK_FALSE(stage.is_open(0));
  CHECK(stage.is_open(1));
  CHECK(kept.bytes.data() == stage.store.load(plain_asset(1), kMainPayload).value().bytes.data());
  CHECK(stage.used_bytes() <= 1000 * kKilobyte);
  // After the store has closed the bundle, there is room again.
  stage.store.close_bundle(stage.store.catalog().bundle_of(plain_asset(1)).value());
  CHECK(stage.loader.memory_bytes() == stage.used_bytes());
  CHECK(stage.store.memory_bytes() + stage.store.memory()->kept_bytes() == stage.used_bytes());
}

TEST_CASE(
    "A bundle that was opened without the loader is ready at once and needs no further memory",
    "[runtime][assets]") {
  Stage stage({600 * kKilobyte, 300 * kKilobyte, 600 * kKilobyte}, 1000 * kKilobyte);
  CHECK(stage.load(1) == LoadState::ready);
  REQUIRE(stage.store.load(plain_asset(0), kMainPayload).has_value());
  CHECK(stage.load(0) == LoadState::ready);
  CHECK(stage.is_open(1));
  // The loader may then evict the bundle.
  CHECK(stage.load(2) == LoadState::ready);
  CHECK_FALSE(stage.is_open(0));
}

// Returns two bundles, each with a small and a large entry.
MemorySource bundles_of_two() {
  MemorySource source;
  CatalogData data;
  for (std::uint64_t i = 0; i < 2; ++i) {
    const ByteVector small(10 * kKilobyte, std::byte(i + 9));
    const ByteVector large(500 * kKilobyte, std::byte(i + 1));
    const ByteVector bytes =
        pack_bundle(
            std::vector<PackEntry>{{plain_asset(i), kMainPayload, EntryKind::raw, small},
                                   {plain_asset(100 + i), kMainPayload, EntryKind::raw, large}})
            .value();
    const BundleName name = BundleName::of_prefab(plain_asset(i));
    data.bundles.push_back(
        {name, BundleReader::open(bytes).value().bundle_hash(), bytes.size(), {}});
    data.assets.push_back({plain_asset(i), std::to_string(i) + ".bytes", name});
    data.assets.push_back({plain_asset(100 + i), std::to_string(i) + ".large", name});
    source.put(name.path(), bytes);
  }
  source.put(std::string(kCatalogFile), encode_catalog(data).value());
  return source;
}

TEST_CASE(
    "The loader reserves memory for the unread part of a bundle that was opened without the loader",
    "[runtime][assets]") {
  const MemorySource source = bundles_of_two();
  BundleStore store = BundleStore::open(source).value();
  SteppedLoads executor(source, store.catalog());
  constexpr std::uint64_t kBudget = 700 * kKilobyte;
  const bool is_opened_before = GENERATE(true, false);
  const auto open_both = [&] {
    for (std::uint64_t i = 0; i < 2; ++i) {
      REQUIRE(store.load(plain_asset(i), kMainPayload).has_value());
    }
  };
  if (is_opened_before) open_both();
  BundleLoader loader(store, executor, {.memory_budget_bytes = kBudget});
  if (!is_opened_before) open_both();
  const BundleHandle first = loader.request_asset(plain_asset(0)).value();
  CHECK(loader.finish(first, kStart) == LoadState::ready);
  BundleHandle second = loader.request_asset(plain_asset(1)).value();
  CHECK(loader.finish(second, kStart) == LoadState::failed);
  CHECK(second.error().code == ErrorCode::limit_exceeded);
  // The other entry of the first bundle needs only memory that is already reserved.
  const std::uint64_t before = loader.memory_bytes();
  REQUIRE(store.load(plain_asset(100), kMainPayload).has_value());
  CHECK(loader.memory_bytes() == before);
  CHECK(before <= kBudget);
}

TEST_CASE(
    "A bundle that was released before it was read needs a new reservation at the next request",
    "[runtime][assets]") {
  const MemorySource source = bundles_of_two();
  BundleStore store = BundleStore::open(source).value();
  SteppedLoads executor(source, store.catalog());
  BundleLoader loader(store, executor, {.memory_budget_bytes = 700 * kKilobyte});
  REQUIRE(store.load(plain_asset(0), kMainPayload).has_value());
  BundleHandle first = loader.request_asset(plain_asset(0)).value();
  CHECK(loader.finish(first, kStart) == LoadState::ready);
  first.release();
  const BundleHandle second = loader.request_asset(plain_asset(1)).value();
  CHECK(loader.finish(second, kStart) == LoadState::ready);
  const BundleHandle again = loader.request_asset(plain_asset(0)).value();
  CHECK(loader.finish(again, kStart) == LoadState::failed);
  CHECK(loader.memory_bytes() <= 700 * kKilobyte);
}

TEST_CASE("A bundle that is released and requested again at once keeps its reserved memory",
          "[runtime][assets]") {
  const MemorySource source = bundles_of_two();
  BundleStore store = BundleStore::open(source).value();
  SteppedLoads executor(source, store.catalog());
  const std::uint64_t budget = GENERATE(600U, 900U, 1300U) * kKilobyte;
  CAPTURE(budget);
  BundleLoader loader(store, executor, {.memory_budget_bytes = budget});
  BundleHandle other = loader.request_asset(plain_asset(1)).value();
  CHECK(loader.finish(other, kStart) == LoadState::ready);
  other.release();
  REQUIRE(store.load(plain_asset(0), kMainPayload).has_value());
  BundleHandle first = loader.request_asset(plain_asset(0)).value();
  REQUIRE(loader.finish(first, kStart) == LoadState::ready);
  const std::uint64_t evicted = loader.counters().evicted;
  const std::uint64_t used = loader.memory_bytes();
  for (int i = 0; i < 3; ++i) {
    first.release();
    first = loader.request_asset(plain_asset(0)).value();
    CHECK(first.state() == LoadState::ready);
    CHECK(loader.finish(first, kStart) == LoadState::ready);
    CHECK(loader.counters().evicted == evicted);
    CHECK(loader.memory_bytes() == used);
  }
}

TEST_CASE(
    "An open bundle with memory for its unread part is ready at once, even after its deadline",
    "[runtime][assets]") {
  const MemorySource source = bundles_of_two();
  BundleStore store = BundleStore::open(source).value();
  SteppedLoads executor(source, store.catalog());
  REQUIRE(store.load(plain_asset(0), kMainPayload).has_value());
  BundleLoader loader(store, executor, {.memory_budget_bytes = 700 * kKilobyte});
  const BundleHandle handle = loader.request_asset(plain_asset(0), {.deadline = kStart}).value();
  CHECK(handle.state() == LoadState::ready);
  CHECK(loader.finish(handle, kStart + Time::duration(1)) == LoadState::ready);
  const BundleHandle late = loader.request_asset(plain_asset(1)).value();
  CHECK(loader.finish(late, kStart) == LoadState::failed);
}

TEST_CASE("The buffers of a destroyed store are kept in a pool that other stores use",
          "[runtime][assets]") {
  const MemorySource source = plain_bundles({2 * kKilobyte, 300 * kKilobyte});
  const auto memory = std::make_shared<MemoryPool>();
  {
    BundleStore opened = BundleStore::open(source, BundleStore::Catalogs::built, memory).value();
    REQUIRE(opened.load(plain_asset(0), kMainPayload).has_value());
    REQUIRE(opened.load(plain_asset(1), kMainPayload).has_value());
    const BundleStore store = std::move(opened);
    CHECK(memory->kept_bytes() == 0);
  }
  CHECK(memory->kept_bytes() == 302 * kKilobyte);
}

/// Loads all bundles one after another, with room for a tenth of the bundles.
LoaderCounters stream_through(std::size_t count) {
  Stage stage(std::vector<std::size_t>(count, 2 * kKilobyte), count * 3 * kKilobyte / 10);
  std::vector<BundleHandle> window(count / 40);
  for (std::size_t i = 0; i < count; ++i) {
    BundleHandle& handle = window[i % window.size()];
    handle.release();
    handle = stage.request(i);
    REQUIRE(stage.loader.finish(handle, kStart) == LoadState::ready);
  }
  REQUIRE(stage.loader.memory_bytes() <= count * 3 * kKilobyte / 10);
  window.clear();
  return stage.loader.counters();
}

TEST_CASE("Freeing memory visits only the evicted bundles, for any number of open bundles",
          "[runtime][assets]") {
  const LoaderCounters small = stream_through(200);
  const LoaderCounters large = stream_through(400);
  CHECK(small.evicted > 100);
  CHECK(small.eviction_steps == small.evicted);
  CHECK(large.evicted > 2 * 100);
  CHECK(large.eviction_steps == large.evicted);
}

/// Requests bundles that the game has opened but not read, and reads half of them.
std::uint64_t steps_for_unread(std::size_t count) {
  Stage stage(std::vector<std::size_t>(count, 2 * kKilobyte), count * 3 * kKilobyte);
  std::vector<BundleHandle> handles;
  std::uint64_t unread = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bundle = stage.store.catalog().bundle_of(plain_asset(i)).value();
    REQUIRE(stage.store.open_bundle(bundle).has_value());
    unread += stage.store.unread_bytes(bundle);
  }
  for (std::size_t i = 0; i < count; ++i) handles.push_back(stage.request(i));
  stage.loader.update(kStart);
  CHECK(stage.store.expected_bytes() == unread);
  CHECK(stage.loader.memory_bytes() == stage.used_bytes() + unread);
  for (std::size_t i = 0; i < count; i += 2) {
    REQUIRE(stage.store.load(plain_asset(i), kMainPayload).has_value());
  }
  CHECK(stage.store.expected_bytes() == unread / 2);
  stage.loader.update(kStart);
  handles.clear();
  CHECK(stage.store.expected_bytes() == 0);
  stage.loader.update(kStart);
  return stage.loader.counters().unread_steps;
}

TEST_CASE("Bundles that were opened without the loader are visited once per update",
          "[runtime][assets]") {
  CHECK(steps_for_unread(100) <= 3 * 100);
  CHECK(steps_for_unread(200) <= 3 * 200);
}

TEST_CASE("Data that was read from a bundle without requests can be evicted", "[runtime][assets]") {
  const MemorySource source = bundles_of_two();
  BundleStore store = BundleStore::open(source).value();
  SteppedLoads executor(source, store.catalog());
  BundleLoader loader(store, executor, {.memory_budget_bytes = 700 * kKilobyte});
  REQUIRE(store.load(plain_asset(0), kMainPayload).has_value());
  BundleHandle first = loader.request_asset(plain_asset(0)).value();
  CHECK(loader.finish(first, kStart) == LoadState::ready);
  first.release();
  REQUIRE(store.load(plain_asset(100), kMainPayload).has_value());
  const BundleHandle second = loader.request_asset(plain_asset(1)).value();
  CHECK(loader.finish(second, kStart) == LoadState::ready);
  CHECK(loader.counters().evicted == 1);
}

TEST_CASE("A bundle that cannot fit into the budget does not cause other bundles to be closed",
          "[runtime][assets]") {
  Stage stage({100 * kKilobyte, 100 * kKilobyte, 900 * kKilobyte}, 500 * kKilobyte);
  CHECK(stage.load(0) == LoadState::ready);
  CHECK(stage.load(1) == LoadState::ready);
  const BundleHandle huge = stage.request(2);
  CHECK(stage.loader.finish(huge, kStart) == LoadState::failed);
  CHECK(huge.error().code == ErrorCode::limit_exceeded);
  CHECK(stage.is_open(0));
  CHECK(stage.is_open(1));
  CHECK(stage.loader.counters().evicted == 0);
  // A second request, for which the size is known, also closes no other bundle.
  const BundleHandle again = stage.request(2);
  CHECK(stage.loader.finish(again, kStart) == LoadState::failed);
  CHECK(stage.loader.counters().evicted == 0);
}

TEST_CASE("Thousands of bundles that do not fit into the budget do not all fail in one update",
          "[runtime][assets]") {
  constexpr std::size_t kCount = 2000;
  Stage stage(std::vector<std::size_t>(kCount, 100), 1);
  std::vector<BundleHandle> handles;
  for (std::size_t i = 0; i < kCount; ++i) handles.push_back(stage.request(i));
  for (std::uint64_t before = 0; before < kCount; before = stage.loader.counters().failed) {
    stage.loader.update(kStart);
    REQUIRE(stage.loader.counters().failed > before);
    REQUIRE(stage.loader.counters().failed <= before + 256);
  }
  for (const BundleHandle& handle : handles) CHECK(handle.state() == LoadState::failed);
}

TEST_CASE("Running loads count with the size of their memory, not of their files",
          "[runtime][assets]") {
  // Each file has a few hundred bytes, so all four would fit by file size.
  const std::vector<std::size_t> sizes(4, 300 * kKilobyte);
  Stage stage(sizes, 700 * kKilobyte, true);
  std::vector<BundleHandle> handles;
  for (std::size_t i = 0; i < sizes.size(); ++i) handles.push_back(stage.request(i));
  for (int round = 0; round < 12; ++round) {
    stage.loader.update(kStart);
    CHECK(stage.loader.memory_bytes() <= 700 * kKilobyte);
    if (stage.executor.started_count() > 0) stage.executor.step();
    CHECK(stage.executor.finished_bytes() + stage.used_bytes() <= 700 * kKilobyte);
  }
  const auto count = [&](LoadState state) {
    return std::ranges::count_if(handles, [=](const auto& h) { return h.state() == state; });
  };
  CHECK(count(LoadState::ready) == 2);
  CHECK(count(LoadState::failed) == 2);
}

TEST_CASE("A bundle that is too large for its reservation is refused before it is decompressed",
          "[runtime][assets]") {
  const MemorySource source = plain_bundles({300 * kKilobyte});
  const BundleStore store = BundleStore::open(source).value();
  Decompressor decompressor;
  const auto load = [&](std::uint64_t max_bytes) {
    return load_whole(source, store.catalog(), {.bundle = 0, .memory_max_bytes = max_bytes},
                      decompressor, nullptr);
  };
  const FinishedLoad refused = load(300 * kKilobyte);
  CHECK(refused.result.error().code == ErrorCode::limit_exceeded);
  CHECK(refused.whole_bytes > 300 * kKilobyte);
  const FinishedLoad loaded = load(refused.whole_bytes);
  REQUIRE(loaded.result.has_value());
  CHECK(loaded.result.value().memory_bytes() == refused.whole_bytes);
}

TEST_CASE(
    "In a frame, loads are started up to a byte budget, or one bundle that is larger than the "
    "budget",
    "[runtime][assets]") {
  const std::vector<std::size_t> sizes = {3000, 3000, 3000, 9000, 3000, 100};
  const MemorySource source = plain_bundles(sizes, samples::PlainBytes::noise);
  BundleStore store = BundleStore::open(source).value();
  SteppedLoads executor(source, store.catalog(), true);
  constexpr std::uint64_t kBudget = 7000;  // Two bundles of 3,000 bytes and their tables.
  BundleLoader loader(store, executor, {.start_budget_bytes = kBudget});
  std::vector<BundleHandle> handles;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    handles.push_back(loader.request_asset(plain_asset(i)).value());
  }
  std::vector<std::size_t> started;
  for (int frame = 0; frame < 3; ++frame) {
    const std::size_t before = executor.started_count();
    loader.update(kStart);
    std::uint64_t bytes = 0;
    for (std::size_t i = before; i < executor.started_count(); ++i) {
      bytes += store.catalog().bundle(executor.started(i)).file_bytes;
    }
    started.push_back(executor.started_count() - before);
    CHECK((bytes <= kBudget || started.back() == 1));
  }
  CHECK(started == std::vector<std::size_t>{2, 1, 1});
  for (const BundleHandle& handle : handles)
    CHECK(loader.finish(handle, kStart) == LoadState::ready);
}

TEST_CASE("A size near the largest number does not overflow", "[runtime][assets]") {
  const auto bytes = GENERATE(std::uint64_t{1} << 43U, (std::uint64_t{1} << 43U) + 1,
                              std::uint64_t{1} << 63U, ~std::uint64_t{0});
  CAPTURE(bytes);
  CatalogData data;
  for (std::size_t i = 0; i < 2; ++i) {
    const BundleName name = BundleName::of_prefab(plain_asset(i));
    data.bundles.push_back({name, {}, bytes, {}});
    data.assets.push_back({plain_asset(i), std::to_string(i) + ".bytes", name});
  }
  MemorySource source;
  source.put(std::string(kCatalogFile), encode_catalog(data).value());
  Result<BundleStore> store = BundleStore::open(source);
  CHECK(store.has_value() == (bytes <= std::uint64_t{1} << 43U));
  if (!store) {
    CHECK(store.error().code == ErrorCode::limit_exceeded);
    return;
  }
  SteppedLoads executor(source, store.value().catalog());
  BundleLoader loader(store.value(), executor, {.memory_budget_bytes = ~std::uint64_t{0}});
  const BundleHandle first = loader.request(0);
  const BundleHandle second = loader.request(1);
  CHECK(loader.finish(first, kStart) == LoadState::failed);
  CHECK(loader.finish(second, kStart) == LoadState::failed);
  CHECK(loader.memory_bytes() == 0);
}

}  // namespace
}  // namespace muster
