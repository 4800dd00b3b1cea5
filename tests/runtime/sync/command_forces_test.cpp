// A view that the server forces, computed on server and client.
#include "runtime/sync/command_forces.h"

#include <cmath>

#include <catch2/catch.hpp>

#include "tests/runtime/sync/command_stage.h"

namespace muster {
namespace {

using command_stage::Act;
using command_stage::act_of;
using command_stage::bytes_of;
using command_stage::Stage;

/// The client's side: its own commands, and the forces that the server sends.
struct Client {
  explicit Client(Stage& of) : stage(of) {}
  void follow() {
    for (const ForcedField& forced : stage.queue.forced()) {
      const auto read = forces.decode(stage.queue.forces().encode(forced));
      REQUIRE(read);
      REQUIRE(forces.follow(*read));
      // Predicted ticks run again.
      for (std::uint32_t i = forced.command.value(); i < sets.size(); ++i) {
        CommandForces again(stage.types);
        REQUIRE(again.follow(*read));
        for (std::uint32_t k = forced.command.value(); k <= i; ++k) {
          CommandSet set = sets[k];
          again.apply(CommandNumber(k), set);
          if (k == i) effective[i] = act_of(set);
        }
      }
    }
    stage.queue.forced().clear();
  }
  void note(std::uint32_t command) {
    sets.resize(command + 1);
    effective.resize(command + 1);
    sets[command] = stage.sampler.last();
    CommandSet set = sets[command];
    forces.apply(CommandNumber(command), set);
    effective[command] = act_of(set);
  }
  Stage& stage;
  CommandForces forces{stage.types};
  std::vector<CommandSet> sets;
  std::vector<Act> effective;
};

TEST_CASE("A forced view applies from its tick on, follows the player's device, and is not blended",
          "[sync][commands]") {
  Stage stage(CommandPacing::by_server);
  Client client(stage);
  stage.begin_tick(1);
  stage.command = 1;
  float before = 0;
  for (std::uint32_t tick = 2; tick < 60; ++tick) {
    // The device turns by seven degrees per tick, two ticks ahead of the server.
    stage.set({.yaw = std::remainder(static_cast<float>(tick) * 7, 360.0F), .stance = 1});
    stage.receive(stage.packet());
    client.note(stage.command);
    if (tick < 4) continue;
    const std::uint32_t run = tick - 2;
    if (run == 20) REQUIRE(stage.queue.force(StructType{0}, "yaw", bytes_of({.yaw = 100})));
    stage.begin_tick(run);
    client.follow();
    const float yaw = stage.current().yaw;
    if (run == 20) {
      CHECK(yaw == 100);
    } else if (run > 20) {
      CHECK(std::remainder(yaw - before, 360.0F) == Approx(7).margin(0.02));
      CHECK(yaw >= -180);
      CHECK(yaw <= 180);
    }
    // Server and client computed the same bits.
    CHECK(client.effective[run].yaw == yaw);
    before = yaw;
  }
}

TEST_CASE("A forced sum replaces the accumulated value of that tick only", "[sync][commands]") {
  Stage stage(CommandPacing::by_server);
  stage.begin_tick(1);
  stage.command = 1;
  for (std::uint32_t tick = 2; tick < 6; ++tick) {
    stage.set({.turn = 5});
    stage.receive(stage.packet());
    if (tick == 3) REQUIRE(stage.queue.force(StructType{0}, "turn", bytes_of({.turn = 0})));
    stage.begin_tick(tick);
    CHECK(stage.current().turn == (tick == 3 ? 0 : 5));
  }
}

TEST_CASE("A forced field stays forced while commands are missing", "[sync][commands]") {
  Stage stage(CommandPacing::by_server);
  stage.begin_tick(1);
  stage.command = 1;
  stage.set({.yaw = 30});
  stage.receive(stage.packet());
  stage.begin_tick(2);
  REQUIRE(stage.queue.force(StructType{0}, "yaw", bytes_of({.yaw = -50})));
  for (std::uint32_t tick = 3; tick < 300; ++tick) {
    stage.begin_tick(tick);
    REQUIRE(stage.current().yaw == -50);
  }
}

TEST_CASE("A view that is forced while the client is lost applies when it reconnects",
          "[sync][commands]") {
  Stage stage(CommandPacing::by_server);
  stage.begin_tick(1);
  stage.command = 1;
  stage.set({.yaw = 30});
  stage.receive(stage.packet());
  stage.begin_tick(2);
  stage.queue.pause();
  stage.queue.pause();
  for (std::uint32_t tick = 3; tick < 300; ++tick) {
    if (tick == 100) REQUIRE(stage.queue.force(StructType{0}, "yaw", bytes_of({.yaw = -50})));
    stage.begin_tick(tick);
    REQUIRE(stage.current().yaw == (tick < 100 ? 0 : -50));
  }
  stage.command = 299;
  for (std::uint32_t tick = 300; tick < 310; ++tick) {
    stage.set({.yaw = 30 + static_cast<float>(tick - 300)});
    stage.receive(stage.packet());
    stage.begin_tick(tick);
    CHECK(stage.current().yaw == Approx(-50 + static_cast<float>(tick - 300)).margin(0.02));
  }
}

TEST_CASE("The newest force of a field applies", "[sync][commands]") {
  Stage stage(CommandPacing::by_server);
  stage.begin_tick(1);
  for (std::uint32_t tick = 2; tick < 2000; ++tick) {
    const float wanted = static_cast<float>(tick % 170);
    REQUIRE(stage.queue.force(StructType{0}, "yaw", bytes_of({.yaw = wanted})) == true);
    stage.begin_tick(tick);
    REQUIRE(stage.current().yaw == wanted);
    stage.queue.forced().clear();
    if (tick % 5 == 0) {
      for (int i = 0; i < 200; ++i) stage.begin_tick(++tick);
    }
  }
}

TEST_CASE("If a field is forced twice in one tick, the second force applies", "[sync][commands]") {
  Stage stage(CommandPacing::by_server);
  stage.begin_tick(1);
  for (std::uint32_t tick = 2; tick < 4000; ++tick) {
    if (tick % 20 == 2) {
      REQUIRE(stage.queue.force(StructType{0}, "yaw", bytes_of({.yaw = 11})));
      REQUIRE(stage.queue.force(StructType{0}, "yaw", bytes_of({.yaw = 22})));
      REQUIRE(stage.queue.force(StructType{0}, "turn", bytes_of({.turn = 5})));
      REQUIRE(stage.queue.force(StructType{0}, "turn", bytes_of({.turn = 6})));
    }
    stage.begin_tick(tick);
    REQUIRE(stage.current().yaw == 22);
    REQUIRE(stage.current().turn == (tick % 20 == 2 ? 6 : 0));
    REQUIRE(stage.queue.forced().size() == (tick % 20 == 2 ? 2U : 0U));
    stage.queue.forced().clear();
  }
}

TEST_CASE("A field that is unknown, not a number or malformed is not forced", "[sync][commands]") {
  Stage stage(CommandPacing::by_server);
  CHECK_FALSE(stage.queue.force(StructType{0}, "nothing", bytes_of({})));
  CHECK_FALSE(stage.queue.force(StructType{1}, "yaw", bytes_of({})));
  CHECK_FALSE(stage.queue.force(StructType{0}, "yaw", bytes_of({}).first(4)));
  stage.begin_tick(1);
  REQUIRE(stage.queue.force(StructType{0}, "yaw", bytes_of({.yaw = 1})));
  stage.begin_tick(2);
  const std::vector<std::byte> bytes = stage.queue.forces().encode(stage.queue.forced().front());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_FALSE(stage.queue.forces().decode(std::span<const std::byte>(bytes).first(size)));
  }
  CHECK(stage.queue.forces().decode(bytes));
}

}  // namespace
}  // namespace muster
