// Whole matches over generated links, with generated players who press buttons for one tick. On
// every link, each state must equal the server's state, and each press must be processed once.
#include <algorithm>
#include <functional>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "tests/bench/sync_play.h"

namespace muster {
namespace {

/// Returns a link that records one packet every 16 ms. `delay` returns the delay in ms of a packet
/// that is sent at a given time; a packet with a negative delay is lost.
DelayFile link_of(const std::function<double(double ms)>& delay, double seconds = 20) {
  DelayFile file{.name = "made", .packets = {}};
  for (double ms = 0; ms < seconds * 1000; ms += 16) {
    const double met = delay(ms);
    file.packets.push_back({.sent_ms = ms, .delay_ms = std::max(met, 0.0), .is_lost = met < 0});
  }
  return file;
}

/// Returns a player who walks and turns, and who presses a random button for one tick in every
/// sixth tick on average.
InputRecording player_of(std::uint64_t seed, double ticks_per_second = 60) {
  Random random(seed);
  InputRecording made{.ticks_per_second = ticks_per_second, .rows = {}};
  double yaw = 0;
  InputRow row{.move_y = 1};
  for (int tick = 0; tick < 3000; ++tick) {
    row.buttons = random.below(6) == 0 ? 1U << random.below(18) : 0U;
    if (random.below(40) == 0) row.move_x = static_cast<double>(random.below(3)) - 1;
    if (random.below(3) == 0) yaw += static_cast<double>(random.below(5)) - 2;
    row.yaw_deg = std::remainder(yaw, 360.0);
    made.rows.push_back(row);
  }
  return made;
}

SyncResult play(const DelayFile& link, std::uint64_t seed, double loss = 0, double seconds = 20,
                double frames_per_second = 60) {
  SyncPlayOptions options{.loss = loss,
                          .seconds = seconds,
                          .skip_seconds = 4,
                          .frames_per_second = frames_per_second,
                          .seed = seed};
  options.delays = {link};
  options.inputs = {player_of(seed), player_of(seed + 100, 66.67)};
  return play_sync(options);
}

/// Checks the conditions of every match, and that the player was active.
void check_sound(const SyncResult& result) {
  CHECK(result.is_verified);
  CHECK(result.difference.empty());
  CHECK(result.states_compared > 1000);
  CHECK(result.states_unknown == 0);
  CHECK(result.presses > 80);
  CHECK(result.presses_lost == 0);
  CHECK(result.presses_doubled == 0);
  CHECK(result.presses_disconnected == 0);
  CHECK(result.reconnects == 0);
}

TEST_CASE("On a steady link, no tick is corrected, starved, late or replayed [S3, S23, P2, P24]",
          "[session][flow][sys-52]") {
  const double delay = GENERATE(0.0, 8.0, 80.0);
  CAPTURE(delay);
  const SyncResult result = play(link_of([&](double) { return delay; }), 1);
  check_sound(result);
  CHECK(result.corrections == 0);
  CHECK(result.replayed_ticks == 0);
  CHECK(result.starved_ticks == 0);
  CHECK(result.late_snapshots == 0);
  CHECK(result.clock_jumps == 0);
  CHECK(result.shown_error_mm_p99 < 1);
}

TEST_CASE(
    "With losses up to one half, a press of one tick runs exactly once [P12, P13, S75, S78, F6]",
    "[session][flow][sys-52]") {
  const double loss = GENERATE(0.05, 0.25, 0.5);
  const auto seed = GENERATE(range(1U, 4U));
  CAPTURE(loss, seed);
  check_sound(play(link_of([](double) { return 40.0; }), seed, loss));
}

TEST_CASE("Bursts of losses lose no state and no press [S76, F6]", "[session][flow][sys-52]") {
  const auto seed = GENERATE(range(1U, 4U));
  CAPTURE(seed);
  Random random(seed);
  int burst = 0;
  const DelayFile link = link_of([&](double) {
    if (burst > 0) --burst;
    if (burst == 0 && random.below(80) == 0) burst = static_cast<int>(random.below(30));
    return burst > 0 ? -1.0 : 30.0;
  });
  const SyncResult result = play(link, seed);
  check_sound(result);
  CHECK(result.corrections > 0);  // The losses cause corrections.
}

TEST_CASE("Jitter that reorders packets loses no state and no press [S4, S12, P26]",
          "[session][flow][sys-52]") {
  const auto seed = GENERATE(range(1U, 4U));
  CAPTURE(seed);
  Random random(seed);
  const DelayFile link =
      link_of([&](double) { return 20.0 + static_cast<double>(random.below(90)); });
  check_sound(play(link, seed, 0.02));
}

TEST_CASE("If a tenth of the packets are 50 ms late, no view stops and few commands are late [S28]",
          "[session][flow][sys-52]") {
  Random random(5);
  const DelayFile link = link_of([&](double) { return random.below(10) == 0 ? 70.0 : 20.0; });
  const SyncResult result = play(link, 5);
  check_sound(result);
  CHECK(result.stopped_share == 0);
  CHECK(result.interpolation_delay_ms_mean < 150);
  CHECK(result.starved_ticks * 50 < result.ticks);
}

TEST_CASE("A sudden change of the delay disturbs the clock only for a limited time [P5]",
          "[session][flow][sys-52]") {
  const DelayFile link = link_of([](double ms) { return ms > 7000 && ms < 13'000 ? 120.0 : 20.0; });
  const SyncResult result = play(link, 6);
  check_sound(result);
  CHECK(result.clock_jumps <= 8);
  // At 1.1 times real time, the clock needs one second to gain 100 ms. Commands are late until
  // then.
  CHECK(result.starved_ticks * 25 < result.ticks);
}

TEST_CASE("Spikes of 300 ms lose no press and no state [P7, S83]", "[session][flow][sys-52]") {
  const DelayFile link =
      link_of([](double ms) { return std::max(20.0, 300 - std::fmod(ms, 4000.0)); });
  check_sound(play(link, 7));
}

TEST_CASE("A match works with a delay of nearly a second [S72]", "[session][flow][sys-52]") {
  const SyncResult result = play(link_of([](double) { return 425.0; }), 8);
  check_sound(result);
  CHECK(result.starved_ticks * 100 < result.ticks);
  CHECK(result.corrections == 0);
}

TEST_CASE("After an outage the same game continues, and no press is lost [F23, P11]",
          "[session][flow][sys-52]") {
  const double seconds = GENERATE(1.0, 5.0, 12.0);
  const bool is_lost = GENERATE(false, true);
  CAPTURE(seconds, is_lost);
  const double end_ms = 8000 + seconds * 1000;
  const DelayFile link = link_of(
      [&](double ms) {
        if (ms < 8000 || ms >= end_ms) return 30.0;
        return is_lost ? -1.0 : std::max(30.0, end_ms - ms);
      },
      30);
  check_sound(play(link, 9, 0, 28));
}

TEST_CASE("Clients at any frame rate lose no press [P10, S55]", "[session][flow][sys-51][sys-52]") {
  const double rate = GENERATE(4.0, 15.0, 30.0, 59.94, 144.0, 240.0);
  CAPTURE(rate);
  check_sound(play(link_of([](double) { return 35.0; }), 10, 0.05, 20, rate));
}

TEST_CASE("Equal seeds give equal matches, and different seeds give different matches [P40]",
          "[session][flow][sys-52]") {
  const DelayFile link = link_of([](double) { return 35.0; });
  const SyncResult first = play(link, 11, 0.1, 8);
  CHECK(first.world_hash == play(link, 11, 0.1, 8).world_hash);
  CHECK(first.world_hash != play(link, 12, 0.1, 8).world_hash);
}

}  // namespace
}  // namespace muster
