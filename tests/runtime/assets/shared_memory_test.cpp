// Failing allocations while threads decompress large entries.
#include <algorithm>
#include <optional>

#include <catch2/catch.hpp>

#include "runtime/assets/load_executor.h"
#include "tests/support/block_bundles.h"
#include "tests/support/block_team.h"
#include "tests/support/failing_allocations.h"

namespace muster {
namespace {

constexpr std::size_t kLargeBytes = SharedBlocks::kMinSharedBytes + 1000;

// Thread-local, because a test has no other access to an executor's threads.
// NOLINTNEXTLINE(*-avoid-non-const-global-variables)
thread_local std::optional<FailingAllocations> failure_here;

/// When this source opens a bundle, it makes a later allocation of the loading thread fail.
class FailingSource final : public BundleSource {
 public:
  FailingSource(const BundleSource& source, std::uint64_t failing)
      : source_(source), failing_(failing) {}
  Result<std::unique_ptr<BundleFile>> open(std::string_view path,
                                           std::uint64_t max_bytes) const override {
    if (path != kCatalogFile) failure_here.emplace(failing_);
    return source_.open(path, max_bytes);
  }
  std::string name() const override { return source_.name(); }

 private:
  const BundleSource& source_;
  std::uint64_t failing_;
};

TEST_CASE("If an allocation for a large entry fails, only that load fails",
          "[runtime][assets][threads]") {
  const bool is_damaged = GENERATE(false, true);
  std::vector<samples::BlockBundle> bundles = {{.plain_bytes = kLargeBytes}};
  if (is_damaged) bundles[0].damaged_blocks = {100};
  const MemorySource files = samples::block_bundles(bundles);
  const ByteVector plain = samples::block_bundle_bytes(0, kLargeBytes);
  std::uint64_t without_memory = 0;
  for (std::uint64_t failing = 0; failing < 40; ++failing) {
    CAPTURE(is_damaged, failing);
    const FailingSource source(files, failing);
    const BundleStore store = BundleStore::open(source).value();
    ThreadedLoads executor(source, store.catalog(), 3);
    std::vector<FinishedLoad> finished;
    const LoadOrder order{.bundle = 0};
    executor.start({&order, 1});
    executor.wait();
    executor.collect(finished);
    REQUIRE(finished.size() == 1);
    const auto& result = finished[0].result;
    if (result) {
      CHECK_FALSE(is_damaged);
      CHECK(std::ranges::equal(result.value().plain[0].bytes, plain));
    } else if (result.error().code == ErrorCode::limit_exceeded) {
      ++without_memory;
    } else {
      CHECK(is_damaged);
      CHECK(result.error().code == ErrorCode::malformed);
    }
  }
  CHECK(without_memory > 0);
}

struct WithoutMemory {
  FailingAllocations failure{0};
};

TEST_CASE("Helping threads need no memory, not even for damaged data",
          "[runtime][assets][threads]") {
  constexpr std::uint32_t kDamaged = 128;
  const bool is_damaged = GENERATE(false, true);
  samples::BlockBundle bundle{.plain_bytes = kLargeBytes};
  if (is_damaged) bundle.damaged_blocks = {kDamaged};
  const MemorySource source = samples::block_bundles({bundle});
  const BundleStore store = BundleStore::open(source).value();
  const auto file = open_file(source, store.catalog(), 0).value();
  const BundleReader reader = BundleReader::open(file->bytes()).value();
  const BundleEntry entry = reader.entry(0);
  ByteVector target(static_cast<std::size_t>(entry.plain_bytes));
  Decompressor decompressor;
  samples::BlockTeam<WithoutMemory> team(3);
  for (int round = 0; round < 50; ++round) {
    ContentHasher hasher;
    const std::uint32_t done = team.shared().read(reader, entry, target, decompressor, &hasher);
    CHECK(done == (is_damaged ? kDamaged : entry.block_count));
  }
}

}  // namespace
}  // namespace muster
