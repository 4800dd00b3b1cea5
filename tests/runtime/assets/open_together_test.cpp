// Loaders with sources that open several files together faster than one after another.
#include <condition_variable>
#include <mutex>
#include <new>

#include <catch2/catch.hpp>

#include "registry/base/mapping_guard.h"
#include "runtime/assets/bundle_loader.h"
#include "runtime/assets/disk_source.h"
#include "runtime/assets/stacked_source.h"
#include "tests/support/plain_bundles.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

using samples::plain_asset;
using samples::plain_bundles;

constexpr Time kStart{};
constexpr std::uint32_t kTogether = 8;

/// A source that records how many files are opened together, and waits until the gate is open.
class GatedSource final : public BundleSource {
 public:
  explicit GatedSource(const BundleSource& source, std::uint32_t together = kTogether)
      : source_(source), together_(together) {}
  Result<std::unique_ptr<BundleFile>> open(std::string_view path,
                                           std::uint64_t max_bytes) const override {
    if (together_ == 1) pass(1);
    return source_.open(path, max_bytes);
  }
  std::vector<Result<std::unique_ptr<BundleFile>>> open_all(
      std::span<const OpenRequest> requests) const override {
    pass(requests.size());
    return source_.open_all(requests);
  }
  std::uint32_t files_at_once() const override { return together_; }
  std::string name() const override { return source_.name(); }

  void open_gate(bool is_without_memory = false) {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    is_without_memory_ = is_without_memory;
    signal_.notify_all();
  }
  void wait_for_call() const {
    std::unique_lock lock(mutex_);
    signal_.wait(lock, [this] { return !counts_.empty(); });
  }
  std::vector<std::size_t> counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  void pass(std::size_t count) const {
    std::unique_lock lock(mutex_);
    counts_.push_back(count);
    signal_.notify_all();
    signal_.wait(lock, [this] { return is_open_; });
    if (is_without_memory_) throw std::bad_alloc();
  }

  const BundleSource& source_;
  const std::uint32_t together_;
  mutable std::mutex mutex_;
  mutable std::condition_variable signal_;
  mutable std::vector<std::size_t> counts_;
  bool is_open_ = false;
  bool is_without_memory_ = false;
};

// A loader whose source waits at the gate.
struct Gate {
  explicit Gate(std::size_t count, std::size_t bytes = 1000)
      : files(plain_bundles(std::vector<std::size_t>(count, bytes))) {
    std::vector<LoadOrder> orders(count);
    for (std::uint32_t i = 0; i < count; ++i) orders[i].bundle = i;
    executor.start(std::span(orders).first(1));
    source.wait_for_call();
    executor.start(std::span(orders).subspan(1));
  }
  std::vector<FinishedLoad> collect(std::size_t count) {
    std::vector<FinishedLoad> finished;
    while (finished.size() < count) {
      executor.wait();
      executor.collect(finished);
    }
    return finished;
  }

  MemorySource files;
  GatedSource source{files};
  BundleStore store = BundleStore::open(files).value();
  ThreadedLoads executor{source, store.catalog(), 2, store.memory()};
};

TEST_CASE("Threads open as many files at once as their source prefers",
          "[runtime][assets][threads]") {
  Gate gate(20);
  gate.source.open_gate();
  std::vector<FinishedLoad> finished = gate.collect(20);
  CHECK(finished.size() == 20);
  std::vector<bool> is_loaded(20);
  for (const FinishedLoad& load : finished) {
    REQUIRE(load.result.has_value());
    CHECK_FALSE(is_loaded[load.bundle]);
    is_loaded[load.bundle] = true;
  }
  CHECK(gate.source.counts() == std::vector<std::size_t>{1, 8, 8, 3});
}

// Returns the number of bundles of this size that one thread opens together.
std::uint32_t count_opened_together(std::size_t bytes, samples::PlainBytes kind) {
  constexpr std::uint32_t kCount = 20;
  const MemorySource files = plain_bundles(std::vector<std::size_t>(kCount, bytes), kind);
  GatedSource source(files, 1);
  const BundleStore store = BundleStore::open(files).value();
  ThreadedLoads executor(source, store.catalog(), 1, store.memory());
  std::vector<LoadOrder> orders(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) orders[i].bundle = i;
  executor.start(orders);
  source.wait_for_call();
  std::uint32_t started = 0;
  for (std::uint32_t i = 0; i < kCount; ++i) started += executor.cancel(i) ? 0U : 1U;
  source.open_gate();
  std::vector<FinishedLoad> finished;
  while (finished.size() < started) {
    executor.wait();
    executor.collect(finished);
  }
  for (std::uint32_t i = 0; i < started; ++i) CHECK(finished[i].bundle == i);
  return started;
}

TEST_CASE("A thread takes several small bundles together, and large bundles one by one",
          "[runtime][assets][threads]") {
  using samples::PlainBytes;
  CHECK(count_opened_together(1000, PlainBytes::equal) == ThreadedLoads::kMaxSmallLoads);
  CHECK(count_opened_together(10'000, PlainBytes::noise) == 3);
  CHECK(count_opened_together(40'000, PlainBytes::noise) == 1);
}

TEST_CASE("A load can be dropped only before it has begun", "[runtime][assets][threads]") {
  Gate gate(6);
  CHECK_FALSE(gate.executor.cancel(0));
  CHECK(gate.executor.cancel(3));
  CHECK_FALSE(gate.executor.cancel(3));
  gate.source.open_gate();
  for (const FinishedLoad& load : gate.collect(5)) CHECK(load.bundle != 3);
  CHECK(gate.source.counts() == std::vector<std::size_t>{1, 4});
}

TEST_CASE(
    "Files are opened one by one if the memory for opening several together cannot be allocated",
    "[runtime][assets][threads]") {
  Gate gate(6);
  gate.source.open_gate(true);
  for (const FinishedLoad& load : gate.collect(6)) CHECK(load.result.has_value());
}

TEST_CASE("An executor ends while files are being opened", "[runtime][assets][threads]") {
  Gate gate(20);
  gate.source.open_gate();
}

TEST_CASE("A stack's limit of files to open together is the highest limit of its layers",
          "[runtime][assets]") {
  const MemorySource files;
  StackedSource stack;
  CHECK(stack.files_at_once() == 1);
  stack.push(std::make_unique<MemorySource>());
  CHECK(stack.files_at_once() == 1);
  stack.push(std::make_unique<GatedSource>(files));
  stack.push(std::make_unique<MemorySource>());
  CHECK(stack.files_at_once() == kTogether);
}

TEST_CASE("A loader gets the same bytes from every kind of source", "[runtime][assets][threads]") {
  const auto kind = GENERATE(SourceKind::mapped, SourceKind::pread, SourceKind::uring);
  CAPTURE(to_string(kind));
  const MappingGuard guard;
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < 150; ++i) sizes.push_back(1 + i * i * 37);
  const MemorySource files = plain_bundles(sizes);
  const TemporaryFolder folder;
  const auto copy = [&](const std::string& path) {
    folder.put(path, as_text(files.open(path, std::uint64_t{1} << 30U).value()->bytes()));
  };
  copy(std::string(kCatalogFile));
  for (std::size_t i = 0; i < sizes.size(); ++i) copy(samples::plain_path(i));
  const auto memory = std::make_shared<MemoryPool>();
  const Result<DiskSource> source = open_disk_source(folder.path(), kind, memory);
  if (!source) return;
  BundleStore store =
      BundleStore::open(*source.value().source, BundleStore::Catalogs::built, memory).value();
  ThreadedLoads executor(*source.value().source, store.catalog(), 2, memory);
  BundleLoader loader(store, executor, {});
  std::vector<BundleHandle> handles;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    handles.push_back(loader.request_asset(plain_asset(i)).value());
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CAPTURE(i);
    REQUIRE(loader.finish(handles[i], kStart) == LoadState::ready);
    const LoadedEntry entry = store.load(plain_asset(i), kMainPayload).value();
    CHECK(entry.bytes.size() == sizes[i]);
    CHECK(entry.bytes.back() == static_cast<std::byte>(i + 1));
  }
}

}  // namespace
}  // namespace muster
