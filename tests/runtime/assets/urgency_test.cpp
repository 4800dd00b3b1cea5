// The order of loads: cancelled starts, priorities and deadlines of bundles with several requests.
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/loader_stage.h"
#include "tests/support/plain_bundles.h"

namespace muster {
namespace {

using samples::LoaderStage;
using std::chrono::seconds;

constexpr Time kStart{};
constexpr LoadRequest kHint = {.priority = LoadPriority::hint, .deadline = {}};
constexpr LoadRequest kNeeded = {.priority = LoadPriority::needed, .deadline = {}};

std::vector<std::uint32_t> started(const LoaderStage& stage) {
  std::vector<std::uint32_t> bundles;
  for (std::size_t i = 0; i < stage.executor.started_count(); ++i) {
    bundles.push_back(stage.executor.started(i));
  }
  return bundles;
}

TEST_CASE("An urgent load is placed before other loads that were started but have not begun",
          "[runtime][assets]") {
  LoaderStage stage(true);
  const BundleHandle flash = stage.request(samples::kFlash, kHint);
  const BundleHandle tracer = stage.request(samples::kTracer, kHint);
  stage.loader.update(kStart);
  REQUIRE(stage.executor.started_count() == 2);
  const BundleHandle look = stage.request(samples::kCrateLook, kNeeded);
  stage.loader.update(kStart);
  CHECK(started(stage) == std::vector<std::uint32_t>{stage.bundle_of(samples::kCrateLook),
                                                     stage.bundle_of(samples::kFlash),
                                                     stage.bundle_of(samples::kTracer)});
  stage.executor.step();
  stage.loader.update(kStart);
  CHECK(look.state() == LoadState::ready);
  CHECK(flash.state() == LoadState::loading);
  CHECK(stage.loader.counters().cancelled == 0);  // The load was delayed, not cancelled.
  CHECK(stage.loader.finish(tracer, kStart) == LoadState::ready);
}

TEST_CASE("A load that was started as a hint becomes urgent with an urgent request",
          "[runtime][assets]") {
  LoaderStage stage(true);
  const BundleHandle flash = stage.request(samples::kFlash, kHint);
  const BundleHandle picture = stage.request(samples::kPicture, kHint);
  stage.loader.update(kStart);
  // The crate depends on the picture.
  const BundleHandle crate = stage.request(samples::kCrate, kNeeded);
  stage.loader.update(kStart);
  REQUIRE(stage.executor.started_count() == 3);
  CHECK(stage.executor.started(2) == stage.bundle_of(samples::kFlash));
  stage.executor.step();
  stage.executor.step();
  stage.loader.update(kStart);
  CHECK(crate.state() == LoadState::ready);
}

TEST_CASE("A load that becomes less urgent returns to its earlier position in the order",
          "[runtime][assets]") {
  LoaderStage stage(true, {.start_budget_bytes = 1});  // Starts one load at a time.
  const BundleHandle first = stage.request(samples::kTracer, kNeeded);
  stage.loader.update(kStart);
  const BundleHandle flash = stage.request(samples::kFlash, kHint);
  BundleHandle urgent = stage.request(samples::kFlash, kNeeded);
  const BundleHandle look = stage.request(samples::kCrateLook, {});
  urgent.release();
  stage.loader.update(kStart);
  CHECK(stage.executor.started(1) == stage.bundle_of(samples::kCrateLook));
}

TEST_CASE("A dependency stays requested as long as a bundle needs it", "[runtime][assets]") {
  LoaderStage stage(true, {.start_budget_bytes = 1});
  const BundleHandle first = stage.request(samples::kTracer, kNeeded);
  const LoadRequest soon = {.priority = LoadPriority::visible, .deadline = kStart + seconds(1)};
  const bool is_other_first = GENERATE(false, true);
  CAPTURE(is_other_first);
  BundleHandle patient;
  if (is_other_first) patient = stage.request(samples::kPicture, kHint);
  const BundleHandle crate = stage.request(samples::kCrate, soon);
  if (!is_other_first) patient = stage.request(samples::kPicture, kHint);
  stage.loader.update(kStart);
  stage.loader.update(kStart + seconds(2));
  CHECK(crate.state() == LoadState::failed);
  CHECK(crate.error().code == ErrorCode::timed_out);
  CHECK(patient.state() == LoadState::loading);
  CHECK(stage.loader.counters().timed_out == 1);
  CHECK(stage.loader.finish(patient, kStart + seconds(2)) == LoadState::ready);
}

TEST_CASE("A deadline applies again when no request without a deadline is left",
          "[runtime][assets]") {
  const bool is_started = GENERATE(false, true);
  CAPTURE(is_started);
  LoaderStage stage(true, {.start_budget_bytes = is_started ? std::uint64_t{1} << 20U : 1});
  const BundleHandle first = stage.request(samples::kTracer, kNeeded);
  const BundleHandle soon = stage.request(samples::kFlash, {.deadline = kStart + seconds(1)});
  BundleHandle patient = stage.request(samples::kFlash);
  stage.loader.update(kStart);
  stage.loader.update(kStart + seconds(2));
  CHECK(soon.state() == LoadState::loading);
  patient.release();
  stage.loader.update(kStart + seconds(2));
  CHECK(soon.state() == LoadState::failed);
}

TEST_CASE("A retry with a deadline sets no deadline for other requests", "[runtime][assets]") {
  LoaderStage stage(true, {.start_budget_bytes = 1});
  const ByteVector good = stage.files.files().at(stage.file(samples::kFlash));
  REQUIRE(stage.files.remove(stage.file(samples::kFlash)).has_value());
  const BundleHandle patient = stage.request(samples::kFlash);
  CHECK(stage.loader.finish(patient, kStart) == LoadState::failed);
  REQUIRE(stage.files.write(stage.file(samples::kFlash), good).has_value());
  const BundleHandle first = stage.request(samples::kTracer, kNeeded);
  const BundleHandle soon = stage.request(samples::kFlash, {.deadline = kStart + seconds(1)});
  stage.loader.update(kStart);
  stage.loader.update(kStart + seconds(2));
  CHECK(patient.state() == LoadState::loading);
}

TEST_CASE("A load does not fail at exactly its deadline, but fails after it", "[runtime][assets]") {
  const auto later =
      GENERATE(table<int, LoadState>({{1, LoadState::loading}, {2, LoadState::failed}}));
  // A load waits either in the loader's queue, or in the executor.
  const bool is_started = GENERATE(false, true);
  CAPTURE(std::get<0>(later), is_started);
  LoaderStage stage(true, {.start_budget_bytes = is_started ? std::uint64_t{1} << 20U : 1});
  const BundleHandle first = stage.request(samples::kTracer, kNeeded);
  const BundleHandle flash = stage.request(samples::kFlash, {.deadline = kStart + seconds(1)});
  stage.loader.update(kStart);
  CHECK(stage.executor.started_count() == (is_started ? 2 : 1));
  stage.loader.update(kStart + seconds(std::get<0>(later)));
  CHECK(flash.state() == std::get<1>(later));
  CHECK(first.state() == LoadState::loading);
}

// An executor whose loads have begun, and end when the test decides.
class BusyLoads final : public LoadExecutor {
 public:
  BusyLoads(const BundleSource& source, const CatalogReader& catalog)
      : loads_(source, catalog, true) {}
  void start(std::span<const LoadOrder> orders) override { loads_.start(orders); }
  bool cancel(std::uint32_t) override { return ++cancels, false; }
  void collect(std::vector<FinishedLoad>& out) override { loads_.collect(out); }
  std::uint32_t parallel_loads() const override { return 1; }
  void wait() override { loads_.wait(); }
  void step() { loads_.step(); }

  std::uint32_t cancels = 0;

 private:
  SteppedLoads loads_;
};

TEST_CASE("While an overdue load runs, other loads fail one by one as their deadlines pass",
          "[runtime][assets]") {
  constexpr std::uint32_t kCount = 300;
  const MemorySource source = samples::plain_bundles(std::vector<std::size_t>(kCount, 100));
  BundleStore store = BundleStore::open(source).value();
  BusyLoads executor(source, store.catalog());
  BundleLoader loader(store, executor, {});
  std::vector<BundleHandle> handles;
  // The order of the requests differs from the order of the deadlines.
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const auto due = seconds(i == 0 ? 0 : 1 + i * 7 % kCount);
    handles.push_back(loader.request(i, {.deadline = kStart + due}));
  }
  loader.update(kStart);
  REQUIRE(loader.running_loads() == 1);
  for (std::uint32_t second = 1; second <= kCount + 1; ++second) {
    CAPTURE(second);
    const std::uint64_t before = loader.counters().timed_out;
    loader.update(kStart + seconds(second));
    loader.update(kStart + seconds(second));
    CHECK(loader.counters().timed_out == before + (second <= 2 ? 0 : 1));
  }
  // The loader has tried only once to cancel the load.
  CHECK(executor.cancels == 1);
  CHECK(handles[0].state() == LoadState::loading);
  executor.step();
  loader.update(kStart + seconds(2 * kCount));
  CHECK(handles[0].state() == LoadState::ready);
  CHECK(loader.counters().timed_out == kCount - 1);
}

TEST_CASE("When a loader is destroyed, loads that have not begun are dropped",
          "[runtime][assets]") {
  LoaderStage stage(true);
  SteppedLoads executor(stage.source, stage.store.catalog(), true);
  {
    BundleLoader loader(stage.store, executor, {});
    std::vector<BundleHandle> handles;
    handles.push_back(loader.request(stage.bundle_of(samples::kFlash)));
    handles.push_back(loader.request(stage.bundle_of(samples::kTracer)));
    handles.push_back(loader.request(stage.bundle_of(samples::kCrateLook)));
    loader.update(kStart);
    REQUIRE(executor.started_count() == 3);
    executor.step();
    handles.pop_back();
    CHECK(executor.started_count() == 1);
  }
  CHECK(executor.started_count() == 0);
  CHECK(executor.finished_bytes() == 0);
}

}  // namespace
}  // namespace muster
