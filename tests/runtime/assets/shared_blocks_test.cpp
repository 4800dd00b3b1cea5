// Several threads decompress large entries together.
#include <algorithm>
#include <atomic>
#include <optional>
#include <set>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "runtime/assets/load_executor.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/block_bundles.h"
#include "tests/support/block_team.h"

namespace muster {
namespace {

using samples::block_bundle_bytes;
using samples::block_bundle_of;
using samples::block_bundles;
using samples::BlockTeam;
using samples::kSmallBlockBytes;

// The last block is shorter than the other blocks.
constexpr std::size_t kLargeBytes = SharedBlocks::kMinSharedBytes + 1000;
constexpr std::uint32_t kLargeBlocks =
    static_cast<std::uint32_t>((kLargeBytes + kSmallBlockBytes - 1) / kSmallBlockBytes);

std::vector<FinishedLoad> load_alone(ThreadedLoads& executor, std::uint32_t bundle) {
  const LoadOrder order{.bundle = bundle};
  executor.start({&order, 1});
  executor.wait();
  std::vector<FinishedLoad> finished;
  executor.collect(finished);
  return finished;
}

bool has_bytes(const FinishedLoad& load, const ByteVector& plain) {
  return load.result && std::ranges::equal(load.result.value().plain[0].bytes, plain);
}

struct Nothing {};

/// Counts the allocations of helping threads.
struct Counted {
  ~Counted() { total += allocation_count() - before; }
  static std::atomic<std::uint64_t> total;
  std::uint64_t before = allocation_count();
};
std::atomic<std::uint64_t> Counted::total = 0;

/// An entry that a thread and its team decompress.
struct OneEntry {
  explicit OneEntry(const samples::BlockBundle& bundle) : source(block_bundles({bundle})) {}

  template <typename Beside>
  std::uint32_t read(BlockTeam<Beside>& team) {
    hasher = ContentHasher();
    std::ranges::fill(target, std::byte{0});
    return team.shared().read(reader, entry, target, decompressor, &hasher);
  }

  MemorySource source;
  BundleStore store = BundleStore::open(source).value();
  std::unique_ptr<BundleFile> file = open_file(source, store.catalog(), 0).value();
  BundleReader reader = BundleReader::open(file->bytes()).value();
  BundleEntry entry = reader.entry(0);
  ByteVector target = ByteVector(static_cast<std::size_t>(entry.plain_bytes));
  Decompressor decompressor;
  ContentHasher hasher;
};

TEST_CASE("An entry of many blocks has the same bytes with any number of threads",
          "[runtime][assets][threads]") {
  constexpr auto kTooMany = static_cast<std::uint32_t>(SharedBlocks::kMaxHelpers + 3);
  const std::uint32_t threads = GENERATE(1U, 2U, 3U, 4U, std::uint32_t{kTooMany});
  CAPTURE(threads);
  const MemorySource source = block_bundles({{.plain_bytes = kLargeBytes}});
  const BundleStore store = BundleStore::open(source).value();
  ThreadedLoads executor(source, store.catalog(), threads);
  const ByteVector plain = block_bundle_bytes(0, kLargeBytes);
  for (int round = 0; round < 5; ++round) {
    const std::vector<FinishedLoad> finished = load_alone(executor, 0);
    REQUIRE(finished.size() == 1);
    CHECK(has_bytes(finished[0], plain));
  }
}

TEST_CASE("A damaged entry of many blocks gives the same error as on one thread",
          "[runtime][assets][threads]") {
  const std::uint32_t middle = kLargeBlocks / 2;
  const std::vector<std::vector<std::uint32_t>> damages = {
      {0}, {middle}, {kLargeBlocks - 1}, {middle, middle + 1, middle + 2}, {}};
  const std::size_t index = GENERATE(range(std::size_t{0}, std::size_t{5}));
  const std::vector<std::uint32_t>& damaged = damages.at(index);
  const bool has_wrong_hash = damaged.empty();
  const bool can_change = GENERATE(false, true);
  CAPTURE(damaged, has_wrong_hash, can_change);
  // Every third block is stored uncompressed. Only a hash detects its damage, and hashes are
  // checked only for changeable bytes.
  const auto is_compressed = [](std::uint32_t block) { return block % 3 != 0; };
  if (!can_change && std::ranges::none_of(damaged, is_compressed)) return;
  const MemorySource files = block_bundles(
      {{.plain_bytes = kLargeBytes, .damaged_blocks = damaged, .has_wrong_hash = has_wrong_hash},
       {.plain_bytes = kLargeBytes}});
  const samples::ChangeableSource changeable(files);
  const BundleSource& source = can_change ? static_cast<const BundleSource&>(changeable) : files;
  const BundleStore store = BundleStore::open(source).value();
  const std::uint32_t bad = block_bundle_of(store.catalog(), 0);
  const std::uint32_t good = block_bundle_of(store.catalog(), 1);
  Decompressor decompressor;
  const FinishedLoad alone =
      load_whole(source, store.catalog(), {.bundle = bad}, decompressor, nullptr);
  REQUIRE_FALSE(alone.result.has_value());
  for (std::uint32_t threads = 1; threads <= 4; ++threads) {
    CAPTURE(threads);
    ThreadedLoads executor(source, store.catalog(), threads);
    const std::vector<FinishedLoad> finished = load_alone(executor, bad);
    REQUIRE(finished.size() == 1);
    REQUIRE_FALSE(finished[0].result.has_value());
    CHECK(finished[0].result.error().code == alone.result.error().code);
    CHECK(finished[0].result.error().message == alone.result.error().message);
    const std::vector<FinishedLoad> next = load_alone(executor, good);
    REQUIRE(next.size() == 1);
    CHECK(has_bytes(next[0], block_bundle_bytes(1, kLargeBytes)));
  }
}

TEST_CASE("Verified bytes that cannot change are not hashed again", "[runtime][assets]") {
  const bool is_large = GENERATE(false, true);
  const std::size_t size = is_large ? kLargeBytes : 1000;
  const MemorySource files = block_bundles({{.plain_bytes = size, .has_wrong_hash = true}});
  const BundleStore store = BundleStore::open(files).value();
  Decompressor decompressor;
  const FinishedLoad ours =
      load_whole(files, store.catalog(), {.bundle = 0}, decompressor, nullptr);
  CHECK(has_bytes(ours, block_bundle_bytes(0, size)));
  const samples::ChangeableSource changeable(files);
  const FinishedLoad mapped =
      load_whole(changeable, store.catalog(), {.bundle = 0}, decompressor, nullptr);
  REQUIRE_FALSE(mapped.result.has_value());
  CHECK(mapped.result.error().code == ErrorCode::hash_mismatch);
}

TEST_CASE("An entry that is too large is refused before other threads help",
          "[runtime][assets][threads]") {
  const MemorySource source = block_bundles({{.plain_bytes = kLargeBytes}});
  const BundleStore store = BundleStore::open(source).value();
  ThreadedLoads executor(source, store.catalog(), 2);
  const LoadOrder order{.bundle = 0, .memory_max_bytes = kLargeBytes};
  executor.start({&order, 1});
  executor.wait();
  std::vector<FinishedLoad> finished;
  executor.collect(finished);
  REQUIRE(finished.size() == 1);
  REQUIRE_FALSE(finished[0].result.has_value());
  CHECK(finished[0].result.error().code == ErrorCode::limit_exceeded);
}

TEST_CASE("Idle threads help, and no byte is hashed twice", "[runtime][assets][threads]") {
  OneEntry one({.plain_bytes = kLargeBytes});
  const ByteVector plain = block_bundle_bytes(0, kLargeBytes);
  BlockTeam<Nothing> team(2);
  // A round may end before a helper wakes.
  for (int round = 0; round < 1000 && team.helped() == 0; ++round) {
    REQUIRE(one.read(team) == kLargeBlocks);
    CHECK(std::ranges::equal(one.target, plain));
    CHECK(one.hasher.finish() == one.entry.plain_hash);
  }
  CHECK(team.helped() > 0);
}

TEST_CASE("No thread continues after a block that could not be read",
          "[runtime][assets][threads]") {
  const std::uint32_t first = GENERATE(1U, 7U, 400U);
  // Every third block is stored uncompressed, so only the hash would detect its damage.
  REQUIRE(first % 3 != 0);
  OneEntry one({.plain_bytes = kLargeBytes, .damaged_blocks = {first, first + 1}});
  const ByteVector plain = block_bundle_bytes(0, kLargeBytes);
  BlockTeam<Nothing> team(3);
  for (int round = 0; round < 20; ++round) {
    CHECK(one.read(team) == first);
    const std::size_t whole_bytes = std::size_t{first} * kSmallBlockBytes;
    CHECK(
        std::ranges::equal(Bytes(one.target).first(whole_bytes), Bytes(plain).first(whole_bytes)));
    CHECK(one.hasher.finish() == hash_bytes(Bytes(plain).first(whole_bytes)));
  }
}

TEST_CASE("Sharing blocks allocates nothing", "[runtime][assets][threads]") {
  OneEntry one({.plain_bytes = kLargeBytes});
  BlockTeam<Counted> team(2);
  Counted::total = 0;
  const std::uint64_t before = allocation_count();
  const std::uint32_t done =
      team.shared().read(one.reader, one.entry, one.target, one.decompressor, &one.hasher);
  CHECK(allocation_count() == before);
  CHECK(done == kLargeBlocks);
  CHECK(Counted::total == 0);
}

/// Starts, cancels and collects loads at random.
class RandomPlayer {
 public:
  RandomPlayer(const MemorySource& source, const CatalogReader& catalog, std::uint64_t seed)
      : random_(seed),
        executor_(source, catalog, 1 + static_cast<std::uint32_t>(random_.below(4))) {
    for (std::uint32_t i = 0; i < catalog.bundle_count(); ++i) idle_.insert(i);
  }

  void step() {
    const std::uint64_t choice = random_.below(8);
    if (choice < 4 && !idle_.empty()) {
      const LoadOrder order{.bundle = any_of(idle_)};
      executor_.start({&order, 1});
      move(order.bundle, idle_, running_);
    } else if (choice < 6 && !running_.empty()) {
      const std::uint32_t bundle = any_of(running_);
      if (executor_.cancel(bundle)) move(bundle, running_, idle_);
    } else {
      if (choice == 6) executor_.wait();
      collect();
    }
  }
  void finish() {
    while (!running_.empty()) {
      executor_.wait();
      collect();
    }
  }
  const std::vector<FinishedLoad>& finished() const { return finished_; }

 private:
  void collect() {
    const std::size_t before = finished_.size();
    executor_.collect(finished_);
    for (std::size_t i = before; i < finished_.size(); ++i) {
      move(finished_[i].bundle, running_, idle_);
    }
  }
  std::uint32_t any_of(const std::set<std::uint32_t>& bundles) {
    return *std::next(bundles.begin(), static_cast<std::ptrdiff_t>(random_.below(bundles.size())));
  }
  static void move(std::uint32_t bundle, std::set<std::uint32_t>& from,
                   std::set<std::uint32_t>& to) {
    REQUIRE(from.erase(bundle) == 1);
    to.insert(bundle);
  }

  Random random_;
  ThreadedLoads executor_;
  std::set<std::uint32_t> idle_;
  std::set<std::uint32_t> running_;
  std::vector<FinishedLoad> finished_;
};

TEST_CASE(
    "Large loads end even if they are cancelled at random, or if their results are never collected",
    "[runtime][assets][threads]") {
  std::vector<samples::BlockBundle> bundles = {{.plain_bytes = kLargeBytes},
                                               {.plain_bytes = kLargeBytes + 70'000},
                                               {.plain_bytes = kLargeBytes}};
  for (std::size_t i = 0; i < 5; ++i) bundles.push_back({.plain_bytes = 3000 + 5000 * i});
  constexpr std::size_t kDamaged = 2;
  bundles[kDamaged].damaged_blocks = {kLargeBlocks / 2};
  const MemorySource source = block_bundles(bundles);
  const BundleStore store = BundleStore::open(source).value();
  std::vector<ByteVector> plain(bundles.size());
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    plain[block_bundle_of(store.catalog(), i)] = block_bundle_bytes(i, bundles[i].plain_bytes);
  }
  const std::uint32_t damaged = block_bundle_of(store.catalog(), kDamaged);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    RandomPlayer player(source, store.catalog(), seed);
    for (int i = 0; i < 40; ++i) player.step();
    if (seed % 2 == 0) player.finish();
    for (const FinishedLoad& load : player.finished()) {
      CAPTURE(load.bundle);
      CHECK(has_bytes(load, plain[load.bundle]) == (load.bundle != damaged));
    }
  }
}

}  // namespace
}  // namespace muster
