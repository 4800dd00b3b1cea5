// Commands over lossy networks, with thousands of seeds.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "tests/runtime/sync/command_stage.h"
#include "tests/support/allocation_counter.h"

namespace muster {
namespace {

using command_stage::Act;
using command_stage::Stage;

struct Packet {
  int at_tick = 0;
  std::vector<std::byte> bytes;
};

/// The result of one seed.
struct Outcome {
  int pressed = 0;  ///< The presses of the device.
  int arrived = 0;  ///< Presses of commands that arrived.
  int run = 0;
  double turned = 0;
  double turn_run = 0;
  int commands = 0;
  int commands_arrived = 0;
  bool is_exact = true;  ///< True if each command that arrived in time ran at its tick.
};

/// A link with loss, bursts, reordering and duplicates, and a client with a random frame rate.
class Match {
 public:
  explicit Match(std::uint64_t seed) : random_(seed), stage_(CommandPacing::by_server) {
    constexpr std::array kRates = {15.0, 30.0, 59.94, 144.0, 1000.0};
    frame_ticks_ = 60 / kRates[random_.below(kRates.size())];
    loss_percent_ = static_cast<unsigned>(random_.below(51));
    jitter_ticks_ = static_cast<int>(1 + random_.below(12));
    stage_.begin_tick(1);
    stage_.command = 1;
    sent_.resize(2);
    arrived_.resize(2);
  }

  Outcome run() {
    constexpr int kTicks = 480;
    for (tick_ = 2; tick_ < kTicks + 80; ++tick_) {
      if (tick_ < kTicks) send();
      receive();
      run_tick();
    }
    for (std::size_t i = 2; i < sent_.size(); ++i) {
      ++outcome_.commands;
      if (!arrived_[i]) continue;
      ++outcome_.commands_arrived;
      outcome_.arrived += sent_[i].fire.press_count;
      outcome_.turned += static_cast<double>(sent_[i].turn);
    }
    return outcome_;
  }

 private:
  void send() {
    for (; next_frame_ < tick_; next_frame_ += frame_ticks_) {
      // There are no presses at the end, so that reports can show which commands were lost.
      const bool is_held = random_.below(4) == 0 && tick_ < 300;
      outcome_.pressed += is_held && !was_held_ ? 1 : 0;
      was_held_ = is_held;
      stage_.set({.number = tick_,
                  .fire = {.is_held = is_held},
                  .turn = static_cast<float>(random_.below(9)) - 4,
                  .yaw = static_cast<float>(random_.below(360)) - 180});
    }
    std::vector<std::byte> bytes = stage_.packet();
    sent_.push_back(command_stage::act_of(stage_.sampler.last()));
    arrived_.push_back(false);
    count_.push_back(stage_.sender.packet_commands());
    if (burst_ > 0) --burst_;
    if (burst_ == 0 && random_.below(120) == 0) burst_ = static_cast<int>(random_.below(20));
    const int copies = random_.below(10) == 0 ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      if (burst_ > 0 || random_.below(100) < loss_percent_) continue;
      const int delay = static_cast<int>(random_.below(static_cast<std::uint64_t>(jitter_ticks_)));
      flying_.push_back({tick_ + delay, bytes});
    }
  }

  void receive() {
    std::stable_sort(flying_.begin(), flying_.end(),
                     [](const Packet& a, const Packet& b) { return a.at_tick < b.at_tick; });
    while (!flying_.empty() && flying_.front().at_tick <= tick_) {
      const CommandCounters before = stage_.queue.counters();
      stage_.receive(flying_.front().bytes);
      const CommandCounters& after = stage_.queue.counters();
      REQUIRE(after.malformed == 0);
      flying_.erase(flying_.begin());
      if (after.received + after.late == before.received + before.late) continue;
      note_arrived();
    }
  }
  /// Stores the arrivals of the last 65 ticks, which the server's report covers.
  void note_arrived() {
    const CommandReport report = stage_.queue.report();
    const std::uint32_t newest = report.newest.value();
    if (newest < arrived_.size()) arrived_[newest] = true;
    for (std::uint32_t i = 0; i < 64 && newest > i + 1; ++i) {
      if (((report.received >> i) & 1U) != 0) arrived_[newest - 1 - i] = true;
    }
  }

  void run_tick() {
    // The server runs the commands of three ticks ago.
    const int command = tick_ - 3;
    if (command < 2) return;
    const bool had_late = stage_.queue.counters().late != late_;
    late_ = stage_.queue.counters().late;
    const bool is_here = static_cast<std::size_t>(command) < arrived_.size() &&
                         arrived_[static_cast<std::size_t>(command)];
    stage_.begin_tick(static_cast<std::uint32_t>(command));
    outcome_.run += stage_.current().fire.press_count;
    outcome_.turn_run += static_cast<double>(stage_.current().turn);
    if (is_here && !had_late &&
        stage_.current().yaw != sent_[static_cast<std::size_t>(command)].yaw) {
      outcome_.is_exact = false;
    }
    if (tick_ % 3 == 0 && random_.below(100) >= loss_percent_) stage_.report();
  }

  Random random_;
  Stage stage_;
  double frame_ticks_ = 1;
  double next_frame_ = 0;
  unsigned loss_percent_ = 0;
  int jitter_ticks_ = 1;
  int burst_ = 0;
  bool was_held_ = false;
  int tick_ = 0;
  std::uint64_t late_ = 0;
  std::vector<Act> sent_;
  std::vector<bool> arrived_;
  std::vector<std::uint32_t> count_;
  std::vector<Packet> flying_;
  Outcome outcome_;
};

TEST_CASE("On thousands of networks no press of an arriving command is lost or duplicated",
          "[sync][commands][sys-49][sys-50]") {
  const auto part = GENERATE(range(0U, 8U));
  int presses = 0;
  int pressed = 0;
  int commands = 0;
  int arrived = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const std::uint64_t seed = 1 + part * 400 + i;
    CAPTURE(seed);
    const Outcome outcome = Match(seed).run();
    REQUIRE(outcome.run == outcome.arrived);
    // If all copies of a command are lost, a later command repeats its presses, provided that a
    // report arrives within 40 ticks.
    REQUIRE(outcome.run <= outcome.pressed);
    pressed += outcome.pressed;
    REQUIRE(outcome.turn_run == Approx(outcome.turned));
    REQUIRE(outcome.is_exact);
    presses += outcome.run;
    commands += outcome.commands;
    arrived += outcome.commands_arrived;
  }
  // Verifies that there were presses and losses.
  CHECK(presses > 5'000);
  CHECK(pressed - presses <= pressed / 1000);
  CHECK(arrived < commands);
  CHECK(arrived > commands * 9 / 10);
}

TEST_CASE("A press that is later than the time for which commands are kept still runs once",
          "[sync][commands]") {
  const std::uint32_t late_ticks = GENERATE(70U, 200U, 900U);
  CAPTURE(late_ticks);
  constexpr std::uint32_t kEnd = 6000;
  constexpr std::uint32_t kBetter = 4000;  // From this tick on, packets arrive in time.
  Stage stage(CommandPacing::by_server);
  stage.begin_tick(100);
  stage.command = 100;
  std::map<std::uint32_t, std::vector<std::vector<std::byte>>> in_flight;
  std::uint32_t pressed = 0;
  std::uint32_t run = 0;
  for (std::uint32_t tick = 101; tick < kEnd; ++tick) {
    const bool is_press = tick % 40 == 0 && tick < kEnd - 200;
    pressed += is_press ? 1 : 0;
    stage.set({.fire = {.press_count = static_cast<std::uint8_t>(is_press ? 1 : 0)}});
    in_flight[tick < kBetter ? tick + late_ticks : tick].push_back(stage.packet());
    for (const auto& packet : in_flight[tick]) stage.receive(packet);
    in_flight.erase(tick);
    stage.begin_tick(tick);
    run += stage.current().fire.press_count;
    if (tick % 3 == 0) stage.report();
  }
  CHECK(run == pressed);
  CHECK(stage.queue.counters().stale > 1000);
}

TEST_CASE("Commands in steady state allocate nothing", "[sync][commands]") {
  Stage stage;
  std::uint64_t allocations = 0;
  int run = 0;
  for (int tick = 0; tick < 600; ++tick) {
    const std::uint64_t before = allocation_count();
    stage.set({.number = tick, .fire = {.is_held = tick % 7 == 0}, .turn = 1});
    stage.sampler.end_tick();
    stage.sender.push(CommandNumber(++stage.command), stage.sampler.values());
    const std::span<const std::byte> bytes = stage.sender.packet(4);
    if (tick % 9 != 0) stage.receive(bytes);
    stage.begin_tick();
    if (tick % 3 == 0) stage.report();
    if (tick > 100) allocations += allocation_count() - before;
    run += stage.current().fire.press_count;
  }
  CHECK(run > 50);
  CHECK(allocations == 0);
}

}  // namespace
}  // namespace muster
