// Loads a level during play: ten megabytes over a lossy path, together with snapshots.
#include <algorithm>
#include <chrono>

#include <catch2/catch.hpp>

#include "tests/support/connection_pair.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr double kLinkRate = 10e6 / 8;
constexpr std::size_t kBlockBytes = 10'000'000;
constexpr std::size_t kSnapshotBytes = 400;

/// Sends a snapshot per tick, until a time has passed or a block has arrived. Records the ages of
/// the snapshots on arrival.
struct Play {
  explicit Play(std::uint64_t seed)
      : pair(seed, {.channels = {{}}},
             {.latency = 25ms,
              .loss = 0.05,
              .bytes_per_second = kLinkRate,
              .queue_bytes = static_cast<std::size_t>(kLinkRate / 2)},
             {.latency = 25ms, .loss = 0.05}) {}

  void tick() {
    Connection& from = pair.a->connection;
    Connection& to = pair.b->connection;
    sent_at.push_back(pair.now);
    if (from.send_payload(pattern(1, kSnapshotBytes), sent_at.size() - 1) != SendStatus::queued) {
      ++refused;
    }
    pair.step(16ms);
    for (; !to.payload().bytes.empty(); to.pop_payload()) ++arrived;
    for (const DeliveryReport& report : from.delivery_reports()) {
      if (report.delivered) ages.push_back(pair.now - sent_at[report.tag]);
    }
    from.clear_delivery_reports();
  }

  Duration age_p95() {
    std::ranges::sort(ages);
    return ages[ages.size() * 95 / 100];
  }

  ConnectionPair pair;
  std::vector<Time> sent_at;
  std::vector<Duration> ages;
  std::size_t refused = 0;
  std::size_t arrived = 0;
};

TEST_CASE(
    "A block of 10 MB at 5 % loss takes little longer than the link needs, and delays no snapshot",
    "[net][soak][sys-30]") {
  Play alone(1);
  for (int i = 0; i < 600; ++i) alone.tick();
  Play beside(1);
  for (int i = 0; i < 60; ++i) beside.tick();
  const NetBytes block = pattern(7, kBlockBytes);
  std::uint16_t id = 0;
  const Time began = beside.pair.now;
  REQUIRE(beside.pair.a->connection.send_block(block, id) == SendStatus::queued);
  for (int i = 0; i < 3000 && beside.pair.b->connection.block().empty(); ++i) beside.tick();
  REQUIRE(copy_of(beside.pair.b->connection.block()) == block);
  const double elapsed = std::chrono::duration<double>(beside.pair.now - began).count();
  const double ticks = elapsed / 0.016;
  // The time that the link needs for the block and the snapshots, if 5 % of the block is sent
  // twice.
  const double snapshots = ticks * (kSnapshotBytes + 28 + 40);
  const double link_time = (kBlockBytes / 0.95 + snapshots) / kLinkRate;
  CAPTURE(elapsed, link_time, elapsed / link_time, alone.age_p95().count(),
          beside.age_p95().count());
  WARN("10 MB took " << elapsed / link_time
                     << " of the link's time; snapshots reported at p95 after "
                     << beside.age_p95().count() / 1'000'000 << " ms, alone "
                     << alone.age_p95().count() / 1'000'000);
  REQUIRE(elapsed <= 1.3 * link_time);
  REQUIRE(beside.refused == 0);
  REQUIRE(static_cast<double>(beside.arrived) >= 0.92 * static_cast<double>(beside.sent_at.size()));
  REQUIRE(beside.age_p95() <= alone.age_p95() + 60ms);
}

}  // namespace
}  // namespace muster
