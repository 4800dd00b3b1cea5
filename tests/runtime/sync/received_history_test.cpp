// The history of arrived commands, and presses during outages.
#include "runtime/sync/received_history.h"

#include <cstdint>
#include <map>
#include <vector>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "tests/runtime/sync/command_stage.h"

namespace muster {
namespace {

using command_stage::Stage;

TEST_CASE("A history of arrivals equals a map of all arrivals, even when command numbers wrap",
          "[sync][commands]") {
  const auto first = GENERATE(1U, 1000U, 0xFFFF'F000U, 0xFFFF'FFC1U);
  CAPTURE(first);
  Random random(first);
  ReceivedHistory history;
  std::map<std::uint32_t, bool> model;
  std::uint32_t newest = first;
  history.note(CommandNumber(newest));
  model[newest] = true;
  const auto has = [&](std::uint32_t number) { return model.contains(number); };
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t kind = random.below(40);
    const auto step = static_cast<std::uint32_t>(kind == 0 ? random.below(3000) : random.below(4));
    const std::uint32_t number = newest - static_cast<std::uint32_t>(random.below(90)) + step;
    if (number - first > 0x8000'0000U) continue;
    history.note(CommandNumber(number));
    model[number] = true;
    if (static_cast<std::int32_t>(number - newest) > 0) newest = number;
    if (i % 50 != 0) continue;
    std::uint64_t expected = 0;
    for (std::uint32_t bit = 0; bit < 64; ++bit) {
      expected |= std::uint64_t{has(newest - 1 - bit) ? 1U : 0U} << bit;
    }
    REQUIRE(history.before(CommandNumber(newest)) == expected);
    for (std::uint32_t block = 0; block < ReceivedHistory::kBlocks; ++block) {
      std::uint64_t named = 0;
      for (std::uint32_t bit = 0; bit < 64; ++bit) {
        named |= std::uint64_t{has(newest - 65 - 64 * block - bit) ? 1U : 0U} << bit;
      }
      REQUIRE(history.block(block) == named);
      REQUIRE(((history.gaps() >> block) & 1U) == (~named != 0 ? 1U : 0U));
    }
  }
}

/// The effect of an outage on the packets of the uplink and on the reports.
enum class Outage { lost, delayed, reports_lost };

TEST_CASE("An outage of seconds neither loses nor duplicates a press [F6, F23]",
          "[sync][commands]") {
  const auto outage = GENERATE(Outage::lost, Outage::delayed, Outage::reports_lost);
  const auto ticks = GENERATE(30, 70, 200, 600, 1500);
  CAPTURE(static_cast<int>(outage), ticks);
  constexpr int kBegin = 100;
  constexpr int kDelayTicks = 3;
  const int end = kBegin + ticks;
  Stage stage(CommandPacing::by_server);
  std::vector<std::pair<int, std::vector<std::byte>>> flying;
  int pressed = 0;
  int run = 0;
  for (int tick = 1; tick < end + 600; ++tick) {
    const bool is_out = tick >= kBegin && tick < end;
    const bool is_held = tick % 5 == 0 && tick < end + 100;
    pressed += is_held ? 1 : 0;
    stage.set({.number = tick, .fire = {.is_held = is_held}});
    const std::vector<std::byte> packet = stage.packet();
    if (!is_out || outage == Outage::reports_lost) {
      flying.emplace_back(tick + 1, packet);
    } else if (outage == Outage::delayed) {
      flying.emplace_back(end, packet);
    }
    while (!flying.empty() && flying.front().first <= tick) {
      stage.receive(flying.front().second);
      flying.erase(flying.begin());
    }
    if (tick > kDelayTicks) {
      stage.begin_tick(static_cast<std::uint32_t>(tick - kDelayTicks));
      run += stage.current().fire.press_count;
    }
    if (tick % 3 == 0 && !is_out) stage.report();
  }
  CHECK(pressed > 40);
  CHECK(run == pressed);
}

TEST_CASE("A clock that omits ticks neither loses nor duplicates a press [P11, P15]",
          "[sync][commands]") {
  const auto seed = GENERATE(range(1U, 41U));
  CAPTURE(seed);
  Random random(seed);
  Stage stage(CommandPacing::by_server);
  std::vector<std::pair<std::uint32_t, std::vector<std::byte>>> flying;
  int pressed = 0;
  int run = 0;
  int skips = 0;
  std::uint32_t next = 1;
  for (std::uint32_t tick = 1; tick < 2400; ++tick) {
    if (tick >= next && tick < 1900) {
      if (random.below(50) == 0 && tick < 1600) {
        // The client omits some ticks. Its sent packets arrive in this time, and then its clock is
        // ahead again.
        next = tick + static_cast<std::uint32_t>(1 + random.below(random.below(3) == 0 ? 300 : 30));
        ++skips;
        continue;
      }
      const bool is_held = random.below(3) == 0 && tick < 1600;
      stage.set({.fire = {.is_held = is_held,
                          .press_count = is_held ? std::uint8_t{1} : std::uint8_t{0}}});
      pressed += is_held ? 1 : 0;
      stage.command = tick - 1;
      const std::vector<std::byte> packet = stage.packet();
      if (random.below(4) != 0) flying.emplace_back(tick + 1 + random.below(3), packet);
    }
    std::erase_if(flying, [&](const auto& one) {
      if (one.first > tick) return false;
      stage.receive(one.second);
      return true;
    });
    if (tick > 4) {
      stage.begin_tick(tick - 4);
      run += stage.current().fire.press_count;
    }
    if (tick % 3 == 0) stage.report();
  }
  CHECK(skips > 3);
  CHECK(pressed > 80);
  CHECK(run == pressed);
}

}  // namespace
}  // namespace muster
