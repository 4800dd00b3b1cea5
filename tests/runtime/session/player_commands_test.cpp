// Commands on their way: lost, doubled, late, and too many.
#include "runtime/session/player_commands.h"

#include <deque>

#include <catch2/catch.hpp>

#include "registry/vocabulary/seed.h"
#include "runtime/session/game.h"

namespace muster {
namespace {

struct Act {
  std::int32_t number = 0;
  Button fire{};
};
consteval auto describe(Type<Act>) {
  return Describe<Act>("Act").field<&Act::number>("number").field<&Act::fire>("fire");
}

class Stage {
 public:
  const Act& current() const {
    return *reinterpret_cast<const Act*>(queue.current().front().data());
  }
  void set(const Act& act) { sampler.set(0, std::as_bytes(std::span<const Act, 1>(&act, 1))); }
  std::vector<std::byte> packet() {
    const std::span<const std::byte> bytes = sampler.end_tick();
    return {bytes.begin(), bytes.end()};
  }

  std::vector<ComponentDescription> types = {description_of<Act>()};
  StructEncoder encoder{types, {}};
  StructDecoder decoder = StructDecoder::make(types, encoder.schema()).value();
  CommandSampler sampler{types, encoder};
  CommandQueue queue{types};
};

TEST_CASE("Each command runs once and in order when packets arrive in time",
          "[session][commands]") {
  Stage stage;
  for (int i = 1; i <= 100; ++i) {
    stage.set({.number = i});
    stage.queue.receive(stage.decoder, stage.packet());
    stage.queue.begin_tick();
    REQUIRE(stage.current().number == i);
  }
  CHECK(stage.queue.counters().missing == 0);
}

TEST_CASE("A press is run exactly once, whatever the network does to packets",
          "[session][commands]") {
  const auto seed = GENERATE(range(1U, 40U));
  CAPTURE(seed);
  Random random(seed);
  Stage stage;
  std::deque<std::vector<std::byte>> late;
  int pressed = 0;
  int run = 0;
  int last_number = 0;
  int lost_in_a_row = 0;
  for (int tick = 1; tick <= 400; ++tick) {
    const bool is_pressed = tick < 350 && random.below(5) == 0;
    if (is_pressed) {
      stage.set({.number = tick, .fire = {.is_held = true}});
      ++pressed;
    }
    stage.set({.number = tick});
    std::vector<std::byte> packet = stage.packet();
    // Up to two packets in a row are lost: each command travels three times.
    if (random.below(4) == 0 && lost_in_a_row < 2 && tick < 350) {
      ++lost_in_a_row;
    } else {
      lost_in_a_row = 0;
      late.push_back(packet);
      if (random.below(8) == 0) late.push_back(packet);
    }
    while (!late.empty() && random.below(3) != 0) {
      stage.queue.receive(stage.decoder, late.front());
      late.pop_front();
    }
    stage.queue.begin_tick();
    run += stage.current().fire.press_count;
    REQUIRE(stage.current().number >= last_number);
    last_number = stage.current().number;
  }
  for (int tick = 0; tick < 20; ++tick) {
    while (!late.empty()) {
      stage.queue.receive(stage.decoder, late.front());
      late.pop_front();
    }
    stage.queue.begin_tick();
    run += stage.current().fire.press_count;
  }
  CHECK(run == pressed);
}

TEST_CASE("A client that sends at twice the rate gains nothing but skipped commands",
          "[session][commands]") {
  Stage stage;
  for (int tick = 1; tick <= 200; ++tick) {
    for (int i = 0; i < 2; ++i) {
      stage.set({.number = 2 * tick + i});
      stage.queue.receive(stage.decoder, stage.packet());
    }
    stage.queue.begin_tick();
  }
  const CommandCounters& counters = stage.queue.counters();
  CHECK(counters.received == 400);
  CHECK(counters.skipped >= 190);
  CHECK(counters.missing == 0);
}

TEST_CASE("A silent client repeats its last command without the press", "[session][commands]") {
  Stage stage;
  stage.set({.number = 5, .fire = {.is_held = true}});
  stage.queue.receive(stage.decoder, stage.packet());
  stage.queue.begin_tick();
  CHECK(stage.current().fire.press_count == 1);
  for (int i = 0; i < 10; ++i) {
    stage.queue.begin_tick();
    CHECK(stage.current().number == 5);
    CHECK(stage.current().fire.press_count == 0);
    CHECK(stage.current().fire.is_held);
  }
  CHECK(stage.queue.counters().missing == 10);
}

TEST_CASE("A packet that breaks the format changes nothing", "[session][commands]") {
  Stage stage;
  stage.set({.number = 5});
  const std::vector<std::byte> packet = stage.packet();
  for (std::size_t size = 0; size < packet.size(); ++size) {
    stage.queue.receive(stage.decoder, std::span<const std::byte>(packet).first(size));
  }
  stage.queue.begin_tick();
  CHECK(stage.current().number == 0);
  CHECK(stage.queue.counters().malformed == packet.size());
}

}  // namespace
}  // namespace muster
