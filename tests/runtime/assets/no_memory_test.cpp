// Makes the n-th allocation of a loader fail, for all n of a short run.
#include <new>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/failing_allocations.h"
#include "tests/support/loader_stage.h"

namespace muster {
namespace {

constexpr Time kStart{};
constexpr LoaderOptions kOptions{.memory_budget_bytes = 40'000, .start_budget_bytes = 4096};

/// Requests every bundle, some twice, and releases a few. Returns true if an allocation failed.
bool play(BundleLoader& loader, std::vector<BundleHandle>& handles, std::uint64_t failing) {
  try {
    const FailingAllocations failure(failing);
    const std::uint32_t count = loader.store().catalog().bundle_count();
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto priority = static_cast<LoadPriority>(i % kLoadPriorities);
      handles.push_back(loader.request(i, {.priority = priority}));
      if (i % 3 == 0) loader.update(kStart);
    }
    const Time due = kStart + std::chrono::seconds(1);
    for (std::uint32_t i = 0; i < count; i += 2) {
      handles.push_back(loader.request(i, {.priority = LoadPriority::needed, .deadline = due}));
    }
    handles.erase(handles.begin());
    for (const BundleHandle& handle : handles) {
      static_cast<void>(loader.finish(handle, due + std::chrono::seconds(1)));
    }
  } catch (const std::bad_alloc&) {
    return true;
  }
  return false;
}

/// Checks that each request is ready or has an error after memory is available again, and that new
/// requests succeed.
void check_goes_on(BundleLoader& loader, std::vector<BundleHandle>& handles) {
  for (const BundleHandle& handle : handles) {
    const LoadState state = loader.finish(handle, kStart);
    CHECK(state != LoadState::loading);
    if (state == LoadState::failed) CHECK(!handle.error().message.empty());
  }
  handles.clear();
  for (std::uint32_t i = 0; i < loader.store().catalog().bundle_count(); ++i) {
    const BundleHandle handle = loader.request(i);
    CHECK(loader.finish(handle, kStart) == LoadState::ready);
  }
  CHECK(loader.running_loads() == 0);
  CHECK(loader.memory_bytes() <= kOptions.memory_budget_bytes);
}

TEST_CASE("If any allocation of a loader fails, no request is lost", "[runtime][assets]") {
  bool is_over = false;
  for (std::uint64_t failing = 0; !is_over; ++failing) {
    CAPTURE(failing);
    samples::LoaderStage stage(false, kOptions);
    std::vector<BundleHandle> handles;
    const std::uint64_t before = counted_allocations();
    const bool has_thrown = play(stage.loader, handles, failing);
    is_over = !has_thrown && counted_allocations() - before <= failing;
    check_goes_on(stage.loader, handles);
  }
}

TEST_CASE("If any allocation fails while threads load, the loader continues or ends",
          "[runtime][assets][threads]") {
  const MemoryFileSystem files = samples::build();
  const FileSystemSource source(files, AssetPath::parse("client").value());
  const bool goes_on = GENERATE(true, false);
  for (std::uint64_t failing = 0; failing < 200; ++failing) {
    CAPTURE(goes_on, failing);
    BundleStore store = BundleStore::open(source).value();
    ThreadedLoads executor(source, store.catalog(), 2, store.memory());
    {
      BundleLoader loader(store, executor, kOptions);
      std::vector<BundleHandle> handles;
      static_cast<void>(play(loader, handles, failing));
      if (goes_on) check_goes_on(loader, handles);
    }
    std::vector<FinishedLoad> left;
    executor.collect(left);
    CHECK(left.empty());
  }
}

}  // namespace
}  // namespace muster
