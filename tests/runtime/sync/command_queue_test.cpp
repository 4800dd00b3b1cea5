// Commands that are lost, duplicated, late, or too many.
#include "runtime/sync/command_queue.h"

#include <cmath>
#include <cstdlib>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "tests/runtime/sync/command_stage.h"

namespace muster {
namespace {

using command_stage::Act;
using command_stage::Stage;

TEST_CASE("Each command runs once and in order when packets arrive in time",
          "[sync][commands][sys-50]") {
  Stage stage;
  for (int i = 1; i <= 300; ++i) {
    stage.set({.number = i});
    stage.receive(stage.packet());
    stage.begin_tick();
    if (i % 3 == 0) stage.report();
    REQUIRE(stage.current().number == i);
  }
  CHECK(stage.queue.counters().missing == 0);
  CHECK(stage.queue.counters().received == 300);
}

TEST_CASE("A client that sends at twice real time has no advantage", "[sync][commands]") {
  SECTION("the client numbers its commands with its own clock") {
    Stage stage;
    for (int tick = 1; tick <= 200; ++tick) {
      for (int i = 0; i < 2; ++i) {
        stage.set({.number = 2 * tick + i});
        stage.receive(stage.packet());
      }
      stage.begin_tick();
      stage.report();
    }
    CHECK(stage.queue.counters().received == 400);
    CHECK(stage.queue.counters().skipped >= 190);
    CHECK(stage.queue.waiting() <= CommandQueue::kWaitingMax);
  }
  SECTION("the command numbers are the server's ticks") {
    Stage stage(CommandPacing::by_server);
    std::uint32_t ran = 0;
    for (std::uint32_t tick = 1; tick <= 60; ++tick) {
      for (int i = 0; i < 2; ++i) {
        stage.set({.number = static_cast<std::int32_t>(stage.command + 1)});
        stage.receive(stage.packet());
      }
      stage.begin_tick(tick);
      stage.report();
      ran += stage.current().number == static_cast<std::int32_t>(tick) ? 1U : 0U;
    }
    // After a second, the server has run 60 commands, and commands that are too far ahead are
    // counted.
    CHECK(stage.queue.number() == CommandNumber(60));
    CHECK(ran <= 60);
    CHECK(stage.queue.counters().ahead > 0);
    CHECK(stage.queue.waiting() <= CommandQueue::kAheadMax);
  }
}

TEST_CASE("Skipping commands because too many wait loses no press and no turn",
          "[sync][commands]") {
  const auto pacing = GENERATE(CommandPacing::by_client, CommandPacing::by_server);
  Stage stage(pacing);
  std::uint32_t tick = 1;
  if (pacing == CommandPacing::by_server) stage.begin_tick(tick);
  stage.command = 1;
  int run = 0;
  double turned = 0;
  const auto begin_tick = [&](std::uint32_t step) {
    if (pacing == CommandPacing::by_server) {
      stage.begin_tick(tick += step);
    } else {
      stage.begin_tick();
    }
    run += stage.current().fire.press_count;
    turned += static_cast<double>(stage.current().turn);
  };
  // Commands arrive in groups of ten: the queue skips some, or the server omits ticks.
  for (int bunch = 0; bunch < 30; ++bunch) {
    for (int i = 0; i < 10; ++i) {
      stage.set({.fire = {.press_count = 1}, .turn = 2});
      stage.receive(stage.packet());
    }
    for (int i = 0; i < 5; ++i) begin_tick(2);
    stage.report();
  }
  for (int i = 0; i < 60; ++i) begin_tick(1);
  CHECK(stage.queue.counters().skipped > 100);
  CHECK(run == 300);
  CHECK(turned == 600);
}

TEST_CASE("A missing command is repeated, neutral or latched, by the descriptions of its fields",
          "[sync][commands]") {
  Stage stage(CommandPacing::by_server);
  stage.begin_tick(1);
  stage.command = 1;
  stage.set({.number = 5,
             .fire = {.is_held = true},
             .stick = {1, 0},
             .turn = 10,
             .weapon = 3,
             .yaw = 90,
             .stance = 2});
  stage.receive(stage.packet());
  stage.begin_tick(2);
  CHECK(stage.current().fire.press_count == 1);
  CHECK(stage.current().turn == 10);
  CHECK(stage.current().weapon == 3);
  CHECK(stage.current().stance == 2);
  for (std::uint32_t tick = 3; tick < 13; ++tick) {
    stage.begin_tick(tick);
    CHECK(stage.current().number == 5);
    CHECK(stage.current().fire.is_held);
    CHECK(stage.current().fire.press_count == 0);
    CHECK(stage.current().stick.x == Approx(1));
    CHECK(stage.current().yaw == Approx(90));
    CHECK(stage.current().turn == 0);
    CHECK(stage.current().weapon == 0);
    CHECK(stage.current().stance == 0);
  }
  CHECK(stage.queue.counters().missing == 11);  // The first tick also had no command.
}

TEST_CASE("A late command does not run, but loses no press, no turn and no latched value",
          "[sync][commands]") {
  Stage stage(CommandPacing::by_server);
  stage.begin_tick(1);
  stage.command = 1;
  stage.set({.number = 2});
  stage.receive(stage.packet());
  stage.begin_tick(2);
  stage.set({.number = 3, .fire = {.press_count = 2}, .turn = 4, .weapon = 7, .stance = 9});
  const std::vector<std::byte> late = stage.packet();
  stage.begin_tick(3);
  CHECK(stage.current().fire.press_count == 0);
  stage.receive(late);
  stage.receive(late);  // A duplicate has no effect.
  stage.begin_tick(4);
  CHECK(stage.current().number == 2);
  CHECK(stage.current().fire.press_count == 2);
  CHECK(stage.current().turn == 4);
  CHECK(stage.current().weapon == 7);
  CHECK(stage.current().stance == 0);
  stage.receive(late);
  stage.begin_tick(5);
  CHECK(stage.current().fire.press_count == 0);
  CHECK(stage.current().turn == 0);
  CHECK(stage.current().weapon == 0);
  CHECK(stage.queue.counters().late == 1);
}

TEST_CASE("Presses that do not fit into one tick run in the next ticks", "[sync][commands]") {
  Stage stage(CommandPacing::by_server);
  stage.begin_tick(1);
  stage.command = 1;
  stage.set({.fire = {.press_count = 20}});
  int run = 0;
  for (std::uint32_t tick = 2; tick < 8; ++tick) {
    stage.receive(stage.packet());
    stage.begin_tick(tick);
    CHECK(stage.current().fire.press_count <= 7);
    run += stage.current().fire.press_count;
  }
  CHECK(run == 20);
}

TEST_CASE("Packets with distant command numbers are counted, and cost the work of one packet",
          "[sync][commands]") {
  const auto far = GENERATE(1'000U, 10'000U, 1'000'000U, 0x7FFF'FFF0U, 0xFFFF'0000U);
  CAPTURE(far);
  Stage stage(CommandPacing::by_server);
  stage.begin_tick(1);
  stage.command = far;
  const std::vector<std::byte> packet = stage.packet();
  const std::uint64_t before = stage.queue.counters().work;
  for (int i = 0; i < 100; ++i) stage.receive(packet);
  CHECK(stage.queue.counters().work - before <= 100 * 2 * stage.encoder.command_lanes().size());
  CHECK(stage.queue.counters().ahead + stage.queue.counters().stale == 100);
  stage.begin_tick(2);
  CHECK(stage.queue.number() == CommandNumber(2));
  CHECK(stage.queue.waiting() == 0);
}

TEST_CASE("A client that begins again is accepted with its second packet", "[sync][commands]") {
  Stage stage;
  for (int i = 1; i <= 500; ++i) {
    stage.set({.number = i});
    stage.receive(stage.packet());
    stage.begin_tick();
    stage.report();
  }
  CommandSender fresh(stage.encoder.command_lanes());
  stage.sender = std::move(fresh);
  stage.command = 0;
  for (int i = 1; i <= 10; ++i) {
    stage.set({.number = 1000 + i});
    stage.receive(stage.packet());
    stage.begin_tick();
    stage.report();
  }
  CHECK(stage.queue.counters().jumps == 1);
  CHECK(stage.current().number == 1010);
  CHECK(stage.queue.number() == CommandNumber(10));
}

TEST_CASE("A packet of an earlier sequence does not start a new one", "[sync][commands]") {
  Stage stage;
  std::vector<std::byte> old;
  for (int i = 1; i <= 500; ++i) {
    stage.set({.number = i});
    const std::vector<std::byte> packet = stage.packet();
    if (i == 1) old = packet;
    stage.receive(packet);
    if (i > 400) stage.receive(old);
    stage.begin_tick();
    stage.report();
    REQUIRE(stage.current().number == i);
  }
  CHECK(stage.queue.counters().jumps == 0);
  CHECK(stage.queue.counters().stale == 100);
}

// A connection authenticates its packets, so a packet has no checksum.
TEST_CASE("A damaged packet runs nothing, or values within their ranges", "[sync][commands]") {
  Stage original;
  original.set({.number = 5, .fire = {.press_count = 3}, .stick = {0.3F, -0.8F}, .turn = 33});
  const std::vector<std::byte> packet = original.packet();
  std::uint64_t malformed = 0;
  const auto run = [&](std::span<const std::byte> bytes) {
    Stage stage;
    stage.receive(bytes);
    for (int i = 0; i < 3; ++i) {
      stage.begin_tick();
      CHECK(stage.current().fire.press_count <= 7);
      CHECK(stage.current().stick.x >= -1.001F);
      CHECK(stage.current().stick.x <= 1.001F);
      CHECK(std::abs(stage.current().turn) <= 180);
      CHECK(stage.current().weapon <= 9);
    }
    malformed += stage.queue.counters().malformed + stage.queue.counters().unanchored;
  };
  for (std::size_t size = 0; size < packet.size(); ++size) run(std::span(packet).first(size));
  for (std::size_t bit = 0; bit < 8 * packet.size(); ++bit) {
    std::vector<std::byte> damaged = packet;
    damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    run(damaged);
  }
  CHECK(malformed > packet.size());
}

TEST_CASE("The report contains which commands arrived, how early, and how many wait",
          "[sync][commands]") {
  Stage stage(CommandPacing::by_server);
  stage.begin_tick(100);
  stage.command = 102;
  stage.receive(stage.packet(), 0.25F);  // The packet is for tick 103, and the next tick is 101.
  const CommandReport report = CommandReport::decode(stage.queue.report().encode()).value();
  CHECK(report.newest == CommandNumber(103));
  CHECK(report.waiting == 1);
  CHECK(report.earliness_last == Approx(2.75));
  CHECK(report.earliness_min == Approx(2.75));
  stage.begin_tick(101);
  stage.receive(stage.packet(), 0.5F);  // The packet is for tick 104.
  stage.begin_tick(102);
  stage.begin_tick(103);
  stage.begin_tick(104);
  stage.begin_tick(105);
  stage.receive(stage.packet(), 0.5F);  // The packet is for tick 105, and is half a tick late.
  const CommandReport later = stage.queue.report();
  CHECK(later.newest == CommandNumber(105));
  CHECK((later.received & 3U) == 3U);
  CHECK(later.earliness_last == Approx(-0.5));
  CHECK(later.earliness_min == Approx(-0.5));
}

TEST_CASE("The measured loss is the share of packets that do not arrive", "[sync][commands]") {
  const auto percent = GENERATE(0U, 5U, 30U);
  CAPTURE(percent);
  Stage stage;
  Random random(11);
  for (int i = 0; i < 3000; ++i) {
    const std::vector<std::byte> packet = stage.packet();
    if (random.below(100) >= percent) stage.receive(packet);
    stage.begin_tick();
    if (i % 3 == 0) stage.report();
  }
  CHECK(stage.queue.report().loss * 100 == Approx(percent).margin(8));
}

}  // namespace
}  // namespace muster
