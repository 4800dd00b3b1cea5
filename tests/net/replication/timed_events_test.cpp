#include <array>

#include <catch2/catch.hpp>

#include "registry/vocabulary/seed.h"
#include "tests/support/replication_stage.h"

namespace muster {
namespace {

NetBytes event_of(std::uint32_t number) { return bytes_of({number & 0xFFU, number >> 8U}); }

}  // namespace

TEST_CASE("Every event comes once, in the order of ticks, not before its tick",
          "[net][replication][sys-35]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    ReplicationStage stage(seed);
    const LinkOptions link{.latency = std::chrono::milliseconds(stage.random.below(100)),
                           .jitter = std::chrono::milliseconds(30),
                           .loss = 0.2,
                           .duplicate = 0.05};
    ReplicationStage::Client& client = stage.join(link, link);
    stage.run(600);
    REQUIRE(client.replication->phase() == ReplicationPhase::playing);
    std::vector<std::uint32_t> sent;
    for (int i = 0; i < 600; ++i) {
      stage.step([&] {
        if (stage.random.below(3) != 0) return;
        const auto number = static_cast<std::uint32_t>(sent.size());
        REQUIRE(stage.server.send_event(client.id, stage.tick, event_of(number)));
        sent.push_back(number);
      });
    }
    stage.run(120);
    CHECK(client.world.fault.empty());
    std::vector<std::uint32_t> came = client.world.events;
    // A lost packet makes an event late: it comes when it comes, then.
    CHECK(std::ranges::is_permutation(came, sent));
  }
}

TEST_CASE("On a link that loses nothing an event is there with the state of its tick",
          "[net][replication]") {
  ReplicationStage stage(1);
  ReplicationStage::Client& client = stage.join({.latency = std::chrono::milliseconds(50)},
                                                {.latency = std::chrono::milliseconds(50)});
  stage.run(60);
  std::vector<std::uint32_t> at;
  for (std::uint32_t i = 0; i < 60; ++i) {
    stage.step([&] { CHECK(stage.server.send_event(client.id, stage.tick, event_of(i))); });
    // Not later than the first snapshot of its tick or a later one.
    const std::size_t due = client.replication->tick() + 1 - (stage.tick - i);
    if (client.replication->tick() + 1 > stage.tick - i) CHECK(client.world.events.size() == due);
  }
}

TEST_CASE("An event of a tick to come waits for it", "[net][replication]") {
  ReplicationStage stage(1);
  ReplicationStage::Client& client = stage.join();
  stage.run(30);
  const std::uint32_t tick = stage.tick + 60;
  CHECK(stage.server.send_event(client.id, tick, event_of(1)));
  while (client.replication->tick() < tick) {
    CHECK(client.world.events.empty());
    stage.step();
  }
  CHECK(client.world.events.size() == 1);
}

TEST_CASE("Too many events and too long ones are refused and counted", "[net][replication]") {
  ReplicationStage stage(1);
  ReplicationStage::Client& client = stage.join();
  stage.run(30);
  CHECK_FALSE(stage.server.send_event(client.id, 1, NetBytes(kTimedEventBytesMax + 1)));
  for (std::size_t i = 0; i < kTimedEventsMax; ++i) {
    REQUIRE(stage.server.send_event(client.id, 1, event_of(static_cast<std::uint32_t>(i))));
  }
  CHECK_FALSE(stage.server.send_event(client.id, 1, event_of(0)));
  CHECK(stage.server.view(client.id)->counters().events_refused == 2);
  stage.run(120);
  CHECK(client.world.events.size() == kTimedEventsMax);
}

TEST_CASE("Events about an entity go to those who know it", "[net][replication]") {
  ReplicationStage stage(1);
  ReplicationStage::Client& knows = stage.join({}, {}, {.player = 1});
  ReplicationStage::Client& does_not = stage.join({}, {}, {.player = 2});
  stage.step([&] { stage.spawn(4, {.owner = 1, .relevance = Relevance::owner}); });
  stage.run(30);
  stage.step([&] { stage.server.send_event_about(4, stage.tick, event_of(9)); });
  stage.run(30);
  CHECK(knows.world.events == std::vector<std::uint32_t>{9});
  CHECK(does_not.world.events.empty());
}

TEST_CASE("A section of events that is cut is refused whole", "[net][replication]") {
  TimedEventSender sender;
  for (std::uint32_t i = 0; i < 5; ++i) REQUIRE(sender.push(10 + i, event_of(i)));
  std::array<std::byte, 200> memory{};
  SectionWriter writer(memory);
  sender.write(writer, memory.size(), 0);
  for (std::size_t size = 0; size < writer.used(); ++size) {
    TimedEventReceiver receiver;
    SectionReader reader(writer.written().first(size));
    CHECK_FALSE(receiver.read(reader));
    receiver.reach(1000);
    CHECK(receiver.due().empty());
  }
  TimedEventReceiver receiver;
  SectionReader reader(writer.written());
  CHECK(receiver.read(reader));
  CHECK(reader.is_finished());
  receiver.reach(12);
  CHECK(receiver.due().size() == 3);
}

TEST_CASE("What a server can make a client keep of events is bounded", "[net][replication]") {
  TimedEventReceiver receiver;
  std::size_t came = 0;
  for (std::uint32_t number = 0; number < 5000; ++number) {
    std::array<std::byte, 16> memory{};
    SectionWriter writer(memory);
    writer.write_u8(1);
    writer.write_u16(number & 0xFFFFU);
    writer.write_u32(0xFFFF'FFFF);  // Never.
    writer.write_u16(2);
    writer.write_bytes(event_of(number));
    SectionReader reader(writer.written());
    REQUIRE(receiver.read(reader));
    receiver.reach(1);
    came += receiver.due().size();
    receiver.clear_due();
  }
  CHECK(came >= 5000 - kTimedEventsMax);
}

}  // namespace muster
