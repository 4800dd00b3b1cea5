// The clock of predicted time, over simulated links.
#include "runtime/sync/clock_servo.h"

#include <catch2/catch.hpp>

#include "tests/runtime/sync/sync_links.h"
#include "tests/support/allocation_counter.h"

namespace muster {
namespace {

constexpr double kTickMs = 1000.0 / 60;

Link constant_delay(double delay_ms) {
  return [=](double) { return delay_ms; };
}

std::vector<LedCommand> lead(const Link& up, const LeadStageOptions& options = {}) {
  ClockServo servo(60);
  return lead_link(servo, up, options);
}

int late_count(const std::vector<LedCommand>& commands, double from_ms, double until_ms) {
  return static_cast<int>(std::ranges::count_if(commands, [&](const LedCommand& one) {
    return one.sent_ms >= from_ms && one.sent_ms < until_ms && one.early_ms < 0;
  }));
}

double early_max(const std::vector<LedCommand>& commands, double from_ms, double until_ms) {
  double maximum = -1e9;
  for (const LedCommand& one : commands) {
    if (one.sent_ms >= from_ms && one.sent_ms < until_ms) maximum = std::max(maximum, one.early_ms);
  }
  return maximum;
}

/// Returns true if each tick number from the first to the last has exactly one command, in order.
bool is_whole(const std::vector<LedCommand>& commands) {
  for (std::size_t i = 1; i < commands.size(); ++i) {
    if (commands[i].tick != commands[i - 1].tick + 1) return false;
  }
  return commands.size() > 100;
}

TEST_CASE("At the highest tick number the clock stops", "[sync][sys-52]") {
  constexpr std::uint32_t kLast = 0xFFFF'FFFF;
  for (const std::uint32_t first : {kLast, kLast - 1, kLast - 16, kLast - 300}) {
    CAPTURE(first);
    ClockServo servo(60);
    servo.begin({.tick = Tick(first), .round_trip = {}, .newest_command = {}}, Time());
    std::uint64_t commands = 0;
    for (int frame = 0; frame < 1000; ++frame) {
      commands += servo.due(Time() + frame * std::chrono::milliseconds(16));
    }
    CHECK(commands <= 300);
    CHECK(servo.tick().value() <= kLast);
    CHECK(servo.fraction() < 1);
  }
}

TEST_CASE("Frames of any length cause one command for each tick number [P10, S35]",
          "[sync][sys-52][sys-81]") {
  const double frame_ms =
      GENERATE(1000.0 / 15, 1000.0 / 30, 1000.0 / 59.94, 1000.0 / 144, 1.0, 0.0);
  CAPTURE(frame_ms);
  Random random(Catch::rngSeed());
  const auto next = [&](double) {
    return frame_ms > 0 ? frame_ms : 1 + static_cast<double>(random.below(70));
  };
  ClockServo servo(60);
  const auto commands = lead_link(servo, constant_delay(40), {.seconds = 60, .frame_ms = next});
  CHECK(is_whole(commands));
  CHECK(servo.skipped() == 0);
  CHECK(servo.reseats() == 0);
  // The clock runs at the server's rate, for any frame times.
  CHECK(std::abs(static_cast<double>(commands.size()) - 60 * 60) < 15);
  CHECK(late_count(commands, 2000, 60'000) <= 3);
}

TEST_CASE("On random links each tick number has at most one command, in order",
          "[sync][sys-52][sys-81]") {
  const auto seed = GENERATE(take(20, random(1U, 1'000'000U)));
  CAPTURE(seed);
  const auto commands = lead(random_link(seed));
  REQUIRE(commands.size() > 900);
  for (std::size_t i = 1; i < commands.size(); ++i) {
    REQUIRE(commands[i].tick > commands[i - 1].tick);
  }
}

TEST_CASE("On a steady path commands are early by at most a frame, and never late",
          "[sync][sys-52][sys-81]") {
  const auto commands = lead(constant_delay(60));
  CHECK(late_count(commands, 1000, 20'000) == 0);
  CHECK(early_max(commands, 3000, 20'000) < 2 * kTickMs);
}

TEST_CASE("On localhost no command is late [S23]", "[sync][sys-52][sys-81]") {
  const auto commands = lead(constant_delay(0.05), {.back_ms = 0.05});
  CHECK(late_count(commands, 500, 20'000) == 0);
  CHECK(early_max(commands, 3000, 20'000) < 2 * kTickMs);
}

TEST_CASE("A path that is slow in only one direction leaves no tick without a command [P8]",
          "[sync][sys-52][sys-81]") {
  const auto [up, back] = GENERATE(table<double, double>({{200, 5}, {5, 200}}));
  CAPTURE(up, back);
  const auto commands = lead(constant_delay(up), {.back_ms = back});
  CHECK(late_count(commands, 2500, 20'000) == 0);
  CHECK(early_max(commands, 6000, 20'000) < 2 * kTickMs);
}

TEST_CASE("A step of the delay is followed without overshoot or oscillation [P5, F5]",
          "[sync][sys-52][sys-81]") {
  ClockServo servo(60);
  std::vector<double> offsets;
  const auto watch = [&](double) {
    offsets.push_back(servo.offset_ms());
    return 1000.0 / 120;
  };
  const auto commands =
      lead_link(servo, [](double sent) { return sent >= 8000 && sent < 16'000 ? 110.0 : 10.0; },
                {.seconds = 24, .back_ms = 10, .frame_ms = watch});
  CHECK(late_count(commands, 10'000, 16'000) == 0);
  CHECK(early_max(commands, 10'000, 15'900) < 4 * kTickMs);
  CHECK(late_count(commands, 16'000, 24'000) == 0);
  CHECK(early_max(commands, 19'000, 24'000) < 3 * kTickMs);
  for (const std::size_t from : {std::size_t{940}, std::size_t{1900}}) {
    int changes = 0;
    int last = 0;
    for (std::size_t i = from; i < from + 900; ++i) {
      const double speed = (offsets[i] - offsets[i - 1]) / (1000.0 / 120);
      const int sign = speed > 0.01 ? 1 : speed < -0.01 ? -1 : 0;
      if (sign != 0 && last != 0 && sign != last) ++changes;
      if (sign != 0) last = sign;
    }
    CHECK(changes <= 1);
  }
  CHECK(is_whole(commands));
}

TEST_CASE("Reports that are half a second old cause no oscillation", "[sync][sys-52][sys-81]") {
  ClockServo servo(60);
  std::vector<double> offsets;
  const auto watch = [&](double) {
    offsets.push_back(servo.offset_ms());
    return 1000.0 / 120;
  };
  lead_link(servo, constant_delay(20), {.seconds = 20, .back_ms = 500, .frame_ms = watch});
  REQUIRE(offsets.size() > 2000);
  // The first estimate includes the delay from the server to the client, so the lead decreases once
  // afterwards.
  for (std::size_t i = 800; i < offsets.size(); ++i) {
    REQUIRE(offsets[i] <= offsets[i - 1] + 0.3);
  }
}

TEST_CASE("A drift of 200 ppm for an hour leaves no tick empty, and causes no sawtooth [P6, S37]",
          "[sync][sys-52][sys-81]") {
  const double speed = GENERATE(1 - 200e-6, 1 + 200e-6);
  ClockServo servo(60);
  const auto commands =
      lead_link(servo, constant_delay(40), {.seconds = 3600, .server_speed = speed});
  CHECK(late_count(commands, 3000, 3'600'000) <= 60);
  CHECK(early_max(commands, 5000, 3'600'000) < 2 * kTickMs);
  CHECK(servo.reseats() == 0);
  CHECK(is_whole(commands));
}

TEST_CASE("A spike of 300 ms raises the lead by at most 200 ms, for two seconds [P7]",
          "[sync][sys-52][sys-81]") {
  const auto commands =
      lead([](double sent) { return sent >= 10'000 && sent < 10'017 ? 340.0 : 40.0; });
  const double before = early_max(commands, 8000, 9900);
  CHECK(early_max(commands, 10'000, 12'500) < before + 200 + kTickMs);
  CHECK(early_max(commands, 12'500, 20'000) < before + kTickMs);
}

TEST_CASE("One second after an outage of the uplink, commands are in time [F23]",
          "[sync][sys-52][sys-81]") {
  const double outage_ms = GENERATE(300.0, 1000.0, 10'000.0);
  CAPTURE(outage_ms);
  const double end = 8000 + outage_ms;
  const auto commands =
      lead([=](double sent) { return sent >= 8000 && sent < end ? end - sent + 20 : 20.0; },
           {.seconds = 30});
  CHECK(late_count(commands, end, 30'000) == 0);
  CHECK(early_max(commands, end + 2500, 30'000) < 4 * kTickMs);
}

TEST_CASE(
    "After a stop, a client runs only a few ticks at once, and is ahead of the server again [P11, "
    "F23]",
    "[sync][sys-52][sys-81]") {
  const double stop_ms = GENERATE(1000.0, 10'000.0, 60'000.0);
  CAPTURE(stop_ms);
  ClockServo servo(60);
  const auto commands = lead_link(servo, constant_delay(40),
                                  {.seconds = 80, .frame_ms = [=](double now) {
                                     return now >= 10'000 && now < 10'008 ? stop_ms : 1000.0 / 120;
                                   }});
  const double end = 10'000 + stop_ms;
  const auto at_once = std::ranges::count_if(
      commands, [&](const LedCommand& one) { return std::abs(one.sent_ms - end) < 10; });
  CHECK(at_once <= 14);
  CHECK(servo.skipped() > 0);
  CHECK(late_count(commands, end + 1000, 80'000) == 0);
  CHECK(early_max(commands, end + 1000, 80'000) < 4 * kTickMs);
}

TEST_CASE("One report for each three commands, with the worst of them, is enough to keep the lead",
          "[sync][sys-52][sys-81]") {
  const auto commands = lead(constant_delay(50), {.report_ms = 50});
  CHECK(late_count(commands, 1500, 20'000) == 0);
  CHECK(early_max(commands, 4000, 20'000) < 2 * kTickMs);
}

TEST_CASE("Reports of commands that were never sent, or of impossible times, have no effect",
          "[sync][sys-52][sys-81]") {
  ClockServo servo(60);
  ClockServo other(60);
  for (ClockServo* one : {&servo, &other}) {
    one->begin({.tick = Tick(500), .round_trip = at_ms(40) - Time{}}, at_ms(0));
  }
  for (int frame = 1; frame < 600; ++frame) {
    const Time now = at_ms(frame * 10.0);
    servo.note({.tick = Tick(1'000'000), .early = std::chrono::seconds(-9)}, now);
    servo.note({.tick = Tick(0), .early = std::chrono::seconds(9)}, now);
    servo.note({.tick = servo.tick(), .early = Duration::max()}, now);
    servo.note({.tick = servo.tick(), .early = Duration::min()}, now);
    REQUIRE(servo.due(now) == other.due(now));
    REQUIRE(servo.fraction() == other.fraction());
  }
}

TEST_CASE("The fraction of a tick is below one, and the next tick begins within one tick",
          "[sync][sys-52][sys-81]") {
  ClockServo servo(60);
  CHECK(servo.due(at_ms(0)) == 0);
  servo.begin({.tick = Tick(1), .round_trip = at_ms(40) - Time{}}, at_ms(0));
  for (int frame = 0; frame < 500; ++frame) {
    servo.due(at_ms(frame * 3.7));
    REQUIRE(servo.fraction() >= 0);
    REQUIRE(servo.fraction() < 1);
    REQUIRE(in_ms(servo.to_next()) <= kTickMs + 0.001);
  }
}

TEST_CASE("A servo allocates no memory after its construction", "[sync][sys-52][sys-81]") {
  ClockServo servo(60);
  servo.begin({.tick = Tick(1), .round_trip = at_ms(40) - Time{}}, at_ms(0));
  const std::uint64_t before = allocation_count();
  std::uint32_t ticks = 0;
  for (int frame = 0; frame < 5000; ++frame) {
    const Time now = at_ms(frame * 8.0);
    ticks += servo.due(now);
    servo.note({.tick = servo.tick(), .early = at_ms(frame % 9) - Time{}}, now);
  }
  CHECK(allocation_count() == before);
  CHECK(ticks > 2000);
}

}  // namespace
}  // namespace muster
