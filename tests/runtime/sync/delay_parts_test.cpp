// The parts of the clocks: histories, estimates, and a clock with limits.
#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "runtime/sync/delay_estimate.h"
#include "runtime/sync/lateness_history.h"
#include "runtime/sync/playback_clock.h"

namespace muster {
namespace {

TEST_CASE("A lateness history equals a sorted list of the last values", "[sync][sys-53]") {
  Random random(Catch::rngSeed());
  LatenessHistory history(40, 1000);
  std::vector<std::pair<double, double>> all;
  for (double now = 0; now < 20'000; now += static_cast<double>(random.below(60))) {
    const auto value = static_cast<double>(random.below(50));
    history.add(value, now);
    all.emplace_back(now, value);
    std::vector<double> kept;
    for (std::size_t i = all.size() - std::min<std::size_t>(all.size(), 40); i < all.size(); ++i) {
      if (all[i].first >= now - 1000) kept.push_back(all[i].second);
    }
    std::ranges::sort(kept);
    REQUIRE(history.size() == kept.size());
    for (const double share : {0.0, 0.5, 0.9, 1.0}) {
      const auto index = static_cast<std::size_t>(share * static_cast<double>(kept.size()));
      REQUIRE(history.quantile(share) == kept[std::min(index, kept.size() - 1)]);
    }
  }
}

TEST_CASE("The cheapest delay covers late values as long as this costs less than lateness",
          "[sync][sys-53]") {
  LatenessHistory history(100, 1e9);
  CHECK(history.cheapest(1000) == 0);
  for (int i = 0; i < 90; ++i) history.add(10, i);
  for (int i = 0; i < 10; ++i) history.add(100, 90 + i);
  // Ten of a hundred values need a delay of 100 ms, and the others need 10 ms. Ten late values cost
  // a tenth of 1,000 ms, which is more than the 90 ms between the two delays.
  CHECK(history.cheapest(1000) == 100);
  CHECK(history.cheapest(800) == 10);
  history.replace_last(std::vector<double>(10, 40));
  CHECK(history.cheapest(800) == 40);
}

TEST_CASE("The last values are replaced in the order of their arrival", "[sync][sys-53]") {
  LatenessHistory history(8, 1e9);
  for (int i = 0; i < 13; ++i) history.add(100 + i, i);  // The ring has wrapped.
  history.replace_last(std::vector<double>{1, 2, 3});
  // The history has 105 to 109, and then 1, 2 and 3. The next two values displace 105 and 106.
  history.add(200, 13);
  history.add(201, 14);
  CHECK(history.size() == 8);
  CHECK(history.quantile(0) == 1);
  CHECK(history.quantile(2.0 / 8) == 3);
  CHECK(history.quantile(3.0 / 8) == 107);
  for (int i = 0; i < 3; ++i) history.add(300, 15 + i);
  CHECK(history.quantile(0) == 1);
  history.add(300, 18);
  CHECK(history.quantile(0) == 2);  // The first replaced value is the oldest.
}

TEST_CASE("An estimate follows a step within a second, at each rate and with lost packets [P5, F5]",
          "[sync][sys-52][sys-53]") {
  const auto [rate, lost_every] = GENERATE(table<double, int>({{10, 0},
                                                               {20, 0},
                                                               {20, 3},
                                                               {20, 2},
                                                               {30, 0},
                                                               {30, 3},
                                                               {60, 0},
                                                               {60, 3},
                                                               {60, 2},
                                                               {240, 2},
                                                               {1000, 2}}));
  CAPTURE(rate, lost_every);
  const double interval_ms = 1000 / rate;
  DelayEstimate estimate({});
  DelayEstimate always({});
  int lost = 0;
  for (int i = 0; i * interval_ms < 7000; ++i) {
    const double now = i * interval_ms;
    const bool is_after = now >= 5000;
    // Packets are lost in the first second after the step.
    if (is_after && now < 6000 && lost_every > 0 && i % lost_every == 0) {
      ++lost;
      continue;
    }
    for (; lost > 0; --lost) {
      estimate.note_lost((is_after ? 140 : 40) + lost * interval_ms);
      always.note_lost(140 + lost * interval_ms);
    }
    estimate.note(is_after ? 140 : 40, now);
    always.note(140, now);
    if (now > 6050) {
      REQUIRE(estimate.settled_ms() <= always.settled_ms() + 5);
      REQUIRE(estimate.settled_ms() >= 140);
    }
  }
}

TEST_CASE("Adding a constant to all delays adds the same constant to the estimate",
          "[sync][sys-53]") {
  Random random(Catch::rngSeed());
  DelayEstimate near({});
  DelayEstimate far({});
  for (int i = 0; i < 500; ++i) {
    const auto need = static_cast<double>(random.below(80));
    near.note(need, i * 20.0);
    far.note(need - 1e6, i * 20.0);
    REQUIRE(near.wanted_ms(i * 20.0) - far.wanted_ms(i * 20.0) == Approx(1e6));
  }
}

TEST_CASE("The delay stays above its minimum, and a lost packet is as late as its successor",
          "[sync][sys-53]") {
  DelayEstimate lossless({.floor_ms = 50});
  DelayEstimate lossy({.floor_ms = 50});
  for (int i = 0; i < 200; ++i) {
    lossless.note(20, i * 50.0);
    lossy.note(20, i * 50.0);
    if (i % 10 == 0) lossy.note_lost(120);
  }
  CHECK(lossless.wanted_ms(10'000) >= 70);
  CHECK(lossless.wanted_ms(10'000) < 76);
  CHECK(lossy.wanted_ms(10'000) >= 120);
}

TEST_CASE("A playback clock settles equally at every frame rate, without overshoot",
          "[sync][sys-53]") {
  const double frame_ms = GENERATE(1.0, 1000.0 / 144, 1000.0 / 60, 1000.0 / 15, 200.0);
  CAPTURE(frame_ms);
  PlaybackClock clock;
  CHECK(clock.follow(1000, 0) == 1000);
  double last = 1000;
  for (double now = frame_ms; now < 2000; now += frame_ms) {
    const double position = clock.follow(1060 + now, now);
    CHECK(position <= 1060 + now + 1e-9);
    CHECK(position - last <= 1.1 * frame_ms + 1e-9);
    last = position;
    if (now > 1000) CHECK(1060 + now - position < 1);
  }
  CHECK(clock.reseats() == 0);
}

TEST_CASE("A playback clock jumps only beyond its limits", "[sync][sys-53]") {
  PlaybackClock clock;
  clock.follow(1000, 0);
  CHECK(clock.follow(1149, 0) == 1000);
  CHECK(clock.follow(1151, 0) == 1151);
  CHECK(clock.follow(652, 0) == 1151);
  CHECK(clock.follow(650, 0) == 650);
  CHECK(clock.reseats() == 2);
  CHECK(clock.follow(640, -50) == 650);
}

}  // namespace
}  // namespace muster
