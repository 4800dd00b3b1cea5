#include <catch2/catch.hpp>

#include "tests/support/replication_stage.h"

namespace muster {
namespace {

NetBytes event_of(std::uint32_t number) { return bytes_of({number & 0xFFU, number >> 8U}); }

TEST_CASE("Events that another map drops are counted if their loss matters", "[net][replication]") {
  ReplicationStage stage(1);
  ReplicationStage::Client& client = stage.join();
  stage.run(30);
  const ClientViewCounters& counters = stage.server.view(client.id)->counters();
  REQUIRE(stage.server.is_playing(client.id));
  CHECK(stage.server.send_event(client.id, Tick(stage.tick), event_of(1), EventLoss::counted));
  stage.run(30);  // This event arrives.
  stage.step([&] {
    for (std::uint32_t i = 2; i < 4; ++i) {
      CHECK(stage.server.send_event(client.id, Tick(stage.tick), event_of(i), EventLoss::counted));
    }
    CHECK(stage.server.send_event(client.id, Tick(stage.tick), event_of(4)));
    stage.server.begin_map({});
    CHECK_FALSE(stage.server.is_playing(client.id));
  });
  CHECK(counters.events_lost == 2);
  stage.run(60);
  CHECK(stage.server.is_playing(client.id));
  CHECK(counters.events_lost == 2);
  CHECK(client.world.events == std::vector<std::uint32_t>{1});
}

}  // namespace
}  // namespace muster
