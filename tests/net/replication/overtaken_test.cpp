// Overtaken snapshots on paths with many snapshots in flight.
#include <array>

#include <catch2/catch.hpp>

#include "tests/support/replication_stage.h"

namespace muster {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kEntities = 600;  // These need at least ten datagrams per tick.

struct OvertakenStage : ReplicationStage {
  explicit OvertakenStage(std::uint64_t seed, const LinkOptions& link)
      : ReplicationStage(seed, {.snapshot_ticks = 1}) {
    step([&] {
      for (std::uint32_t id = 0; id < kEntities; ++id) {
        spawn(NetworkId{id}, {.relevance = Relevance::always});
      }
    });
    client = &join(link, link);
  }

  void move(std::uint32_t ticks) {
    for (std::uint32_t i = 0; i < ticks; ++i) {
      step([&] {
        for (std::uint32_t id = i % 2; id < kEntities; id += 2) stir(NetworkId{id});
      });
    }
  }

  Client* client = nullptr;
};

TEST_CASE("A client continues to read when datagrams are reordered and lost",
          "[net][replication]") {
  const auto [loss, seed] = GENERATE(table<double, std::uint64_t>({{0.0, 1}, {0.1, 2}, {0.1, 3}}));
  CAPTURE(loss, seed);
  OvertakenStage stage(seed, {.latency = milliseconds(60),
                              .jitter = milliseconds(10),
                              .jitter_kind = Jitter::exponential,
                              .loss = loss});
  stage.move(500);
  CHECK(stage.client->replication->is_complete());
  const ReplicationClientCounters& counters = stage.client->replication->counters();
  CHECK(100 * (counters.unknown + counters.late) < counters.snapshots);
  stage.run(300);
  CHECK(stage.difference(*stage.client).empty());
}

// A client with one unchanged entity that gets a snapshot every 300 ticks.
struct UnchangedStage : ReplicationStage {
  UnchangedStage() : ReplicationStage(1, {.snapshot_ticks = 300, .coder = SnapshotCoder::raw}) {
    step([&] { spawn(NetworkId{1}, {.relevance = Relevance::always}); });
    client = &join();
    run(320);
  }

  void deliver(std::span<const std::byte> payload) {
    REQUIRE(client->pair->a->connection.send_payload(payload, 0) == SendStatus::queued);
    step();
  }

  Client* client = nullptr;
};

// A payload with a snapshot number that was overtaken long ago.
std::array<std::byte, 8> late_payload() {
  for (unsigned number = 0; number < 256; number += 4) {
    std::array<std::byte, 8> payload{};
    payload[1] = std::byte(number);
    payload[2] = std::byte{1};  // The snapshot refers to the previous snapshot.
    UnchangedStage stage;
    stage.deliver(payload);
    stage.run(20);
    if (stage.client->replication->counters().late == 1) return payload;
  }
  FAIL("no such payload");
  return {};
}

TEST_CASE("A client that can read no snapshot for a long time requests the whole state",
          "[net][replication]") {
  const std::array<std::byte, 8> late = late_payload();
  UnchangedStage stage;
  const ReplicationClientCounters& counters = stage.client->replication->counters();
  for (int i = 0; i < 63; ++i) stage.deliver(late);
  stage.run(20);
  CHECK(counters.resyncs == 0);
  for (int i = 0; i < 63; ++i) stage.deliver(late);
  stage.run(20);
  CHECK(counters.late > 64);
  CHECK(counters.resyncs > 0);
  CHECK(counters.malformed == 0);
  stage.run(700);
  CHECK(stage.difference(*stage.client).empty());
}

}  // namespace
}  // namespace muster
