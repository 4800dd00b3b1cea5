// Snapshots that others overtake, on ways where there are many at once.
#include <catch2/catch.hpp>

#include "tests/support/replication_stage.h"

namespace muster {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kEntities = 600;  // Ten datagrams a tick and more.

struct OvertakenStage : ReplicationStage {
  explicit OvertakenStage(std::uint64_t seed, const LinkOptions& link)
      : ReplicationStage(seed, {.snapshot_ticks = 1}) {
    step([&] {
      for (std::uint32_t id = 0; id < kEntities; ++id) {
        spawn(id, {.relevance = Relevance::always});
      }
    });
    client = &join(link, link);
  }

  void move(std::uint32_t ticks) {
    for (std::uint32_t i = 0; i < ticks; ++i) {
      step([&] {
        for (std::uint32_t id = i % 2; id < kEntities; id += 2) stir(id);
      });
    }
  }

  Client* client = nullptr;
};

TEST_CASE("Where datagrams overtake each other and some are lost, a client goes on reading",
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

TEST_CASE("A client that could read nothing for long is told everything anew",
          "[net][replication]") {
  OvertakenStage stage(2, {.latency = milliseconds(60),
                           .jitter = milliseconds(20),
                           .jitter_kind = Jitter::exponential,
                           .loss = 0.2});
  stage.move(700);
  CHECK(stage.client->replication->counters().resyncs > 0);
  stage.run(300);
  CHECK(stage.difference(*stage.client).empty());
}

}  // namespace
}  // namespace muster
