#include "net/transport/path_time.h"

#include <algorithm>
#include <deque>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST_CASE("The peer's hold time is not part of the round trip", "[net][transport][sys-28]") {
  RoundTrip trip;
  REQUIRE_FALSE(trip.has_sample());
  REQUIRE(trip.probe_timeout() == kFirstTimeout);
  trip.add(Time(1s), 75ms, 25ms);
  REQUIRE(trip.smoothed() == 50ms);
  REQUIRE(trip.variation() == 25ms);
  REQUIRE(trip.latest() == 50ms);
  REQUIRE(trip.minimum() == 50ms);
  // RFC 6298: a new sample has the weight 1/8 in the mean, and 1/4 in the variation.
  trip.add(Time(2s), 100ms, 10ms);
  REQUIRE(trip.latest() == 90ms);
  REQUIRE(trip.smoothed() == 55ms);
  REQUIRE(trip.variation() == 28750us);
  REQUIRE(trip.minimum() == 50ms);
  trip.add(Time(13s), 100ms, 10ms);
  REQUIRE(trip.minimum() == 90ms);  // The sample of 50 ms is too old.
}

TEST_CASE("A reported hold time above the round trip does not give a negative time",
          "[net][transport][sys-28]") {
  RoundTrip trip;
  trip.add(Time(1s), 10ms, 6s);
  REQUIRE(trip.latest() > 0ms);
  REQUIRE(trip.smoothed() > 0ms);
  REQUIRE(trip.probe_timeout() >= kAckDelay);
}

/// A peer whose clock is some hours ahead and runs slightly too fast.
struct Peer {
  Duration ahead = 3h + 17min;
  double drift = 50e-6;

  Time clock(Time now) const {
    const auto passed = std::chrono::duration<double>(now.time_since_epoch()).count();
    return now + ahead +
           std::chrono::duration_cast<Duration>(std::chrono::duration<double>(passed * drift));
  }
  /// Returns the error of the estimated clock, modulo the range of 16 bits.
  Duration error(const PeerClock& clock_here, Time now) const {
    const auto sent = clock_here.at(now);
    REQUIRE(sent.has_value());
    const auto units = static_cast<std::int16_t>(
        static_cast<std::uint16_t>(wire_time(*sent) - wire_time(clock(now))));
    return units * kWireTimeUnit;
  }
};

TEST_CASE("The peer's clock is found despite jitter, drift and the wrap of its 16 bits",
          "[net][transport][sys-28]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  Random random(seed);
  const Peer peer;
  PeerClock clock;
  REQUIRE_FALSE(clock.at(Time(1s)).has_value());
  Time now(1s);
  // In 120 s, the 16 bits wrap 18 times. Jitter occurs only on the way from the peer.
  for (int i = 0; i < 120 * 30; ++i) {
    now += 33ms;
    const auto jitter = std::chrono::microseconds(random.below(8) == 0 ? 0 : random.below(40'000));
    const Duration delay = 20ms + jitter;
    clock.add(now, wire_time(peer.clock(now - delay)));
    if (i % 3 == 0) clock.add_round_trip(now, 20ms + delay);
    if (i < 100) continue;
    const Duration error = peer.error(clock, now);
    CAPTURE(i, error.count());
    // The drift over 10 s is 0.5 ms, and a sample without jitter arrives within this time.
    REQUIRE(error < 2ms);
    REQUIRE(error > -2ms);
  }
}

TEST_CASE("The queueing delay is the time above the recent minimum", "[net][transport][sys-28]") {
  const Peer peer{.drift = 0};
  PeerClock clock;
  Time now(1s);
  const auto arrive = [&](Duration delay) {
    now += 50ms;
    clock.add(now, wire_time(peer.clock(now - delay)));
    return clock.queue_delay();
  };
  REQUIRE(arrive(30ms) == 0ms);
  REQUIRE(arrive(42ms) == 12ms);
  REQUIRE(arrive(25ms) == 0ms);
  REQUIRE(arrive(30ms) == 5ms);
  for (int i = 0; i < 205; ++i)
    arrive(60ms);  // The path has become longer. After 10 s, the new minimum is used.
  REQUIRE(arrive(60ms) == 0ms);
}

TEST_CASE("Reordered packets and a silence of seconds do not confuse the clock",
          "[net][transport][sys-28]") {
  const Peer peer{.drift = 0};
  PeerClock clock;
  const auto arrive = [&](Time now, Time sent_at) {
    clock.add(now, wire_time(peer.clock(sent_at)));
    clock.add_round_trip(now, 40ms);
    REQUIRE(peer.error(clock, now) == 0ms);
  };
  Time now(100s);
  arrive(now, now - 20ms);
  clock.add(now + 1ms, wire_time(peer.clock(now - 60ms)));
  REQUIRE(clock.queue_delay() == 41ms);
  now += 20s;  // The 16 bits wrap three times.
  arrive(now, now - 20ms);
  REQUIRE(clock.queue_delay() == 0ms);
}

TEST_CASE("A window's minimum is never too old or too small, and becomes exact within a short time",
          "[net][transport][sys-28]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U, 4U);
  CAPTURE(seed);
  Random random(seed);
  WindowedMinimum<int> minimum{1s};
  REQUIRE_FALSE(minimum.has_value());
  std::deque<std::pair<Time, int>> samples;
  Time now(5s);
  int level = 500;
  const auto minimum_of = [&](Duration window) {
    int value_min = 1 << 30;
    for (const auto& [at, value] : samples) {
      if (now - at <= window) value_min = std::min(value_min, value);
    }
    return value_min;
  };
  for (int i = 0; i < 20000; ++i) {
    now += std::chrono::microseconds(random.below(i % 500 == 0 ? 1'500'000 : 10'000));
    if (random.below(300) == 0) level = static_cast<int>(random.below(1000));
    const int value = level + static_cast<int>(random.below(100));
    samples.emplace_back(now, value);
    minimum.add(now, value);
    while (now - samples.front().first > 1s) samples.pop_front();
    // The result is not below the minimum of the window.
    REQUIRE(minimum.value() >= minimum_of(1s));
    REQUIRE(minimum.value() <= minimum_of(200ms));  // No recent sample was smaller.
    REQUIRE(
        std::ranges::any_of(samples, [&](const auto& s) { return s.second == minimum.value(); }));
    if (value <= minimum_of(1s)) REQUIRE(minimum.value() == value);
  }
  minimum.clear();
  REQUIRE_FALSE(minimum.has_value());
}

}  // namespace
}  // namespace muster
