// Tests that clocks which stop, jump, or run at another speed are not mistaken for a queue. Both
// ends always have more data to send. Time is simulated.
#include <algorithm>
#include <chrono>
#include <utility>

#include <catch2/catch.hpp>

#include "tests/support/connection_pair.h"
#include "tests/support/filled_budget.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

/// Two ends whose clocks the test controls.
class TwoClocks {
 public:
  /// The received bytes per second.
  struct Rates {
    double down = 0;
    double up = 0;
  };

  explicit TwoClocks(double rate, Duration latency = 15ms)
      : pair_(3, options(), link(rate, latency), link(rate, latency)) {
    a_clock_ = b_clock_ = pair_.now;
  }

  Rates run(Duration duration) {
    const std::uint64_t down = bytes_in(*pair_.b);
    const std::uint64_t up = bytes_in(*pair_.a);
    for (const Time end = pair_.now + duration; pair_.now < end;) {
      pass(kTick);
      tick(*pair_.a, a_clock_);
      tick(*pair_.b, b_clock_);
    }
    const double seconds = std::chrono::duration<double>(duration).count();
    return {.down = static_cast<double>(bytes_in(*pair_.b) - down) / seconds,
            .up = static_cast<double>(bytes_in(*pair_.a) - up) / seconds};
  }
  /// Stops the link for `duration`. If an end sleeps, the end and its clock also stop.
  void interrupt(Duration duration, bool a_sleeps, bool b_sleeps) {
    set_down(true);
    for (const Time end = pair_.now + duration; pair_.now < end;) {
      const Time a_before = a_clock_;
      const Time b_before = b_clock_;
      pass(kTick);
      if (a_sleeps) a_clock_ = a_before;
      if (b_sleeps) b_clock_ = b_before;
      if (!a_sleeps) tick(*pair_.a, a_clock_);
      if (!b_sleeps) tick(*pair_.b, b_clock_);
    }
    set_down(false);
  }
  void jump_of_b(Duration step) { b_clock_ += step; }
  void set_speed_of_b(double speed) { speed_ = speed; }
  const Connection& b() const { return pair_.b->connection; }
  Duration queue_max() const {
    return std::max(pair_.network.counters(pair_.there_link).queue_delay,
                    pair_.network.counters(pair_.back_link).queue_delay);
  }
  Time a_clock() const { return a_clock_; }
  Time b_clock() const { return b_clock_; }

 private:
  static constexpr Duration kTick = std::chrono::microseconds(16'667);

  static ConnectionOptions options() { return {.channels = {ChannelOptions{}}}; }
  static LinkOptions link(double rate, Duration latency) {
    return {.latency = latency,
            .bytes_per_second = rate,
            .queue_bytes = static_cast<std::size_t>(rate / 5)};
  }
  static std::uint64_t bytes_in(const ConnectionEnd& end) {
    return end.connection.counters().bytes_in;
  }
  void set_down(bool is_down) {
    pair_.network.link(pair_.there_link).is_down = is_down;
    pair_.network.link(pair_.back_link).is_down = is_down;
  }
  void pass(Duration duration) {
    pair_.now += duration;
    pair_.network.advance(pair_.now);
    a_clock_ += duration;
    b_clock_ += duration_of(std::chrono::duration<double>(duration).count() * speed_);
  }
  void tick(ConnectionEnd& end, Time now) {
    end.receive(now);
    Connection& game = end.connection;
    while (!game.payload().bytes.empty()) game.pop_payload();
    static_cast<void>(fill_budget(game, now, bytes_));
    end.send(now);
  }

  ConnectionPair pair_;
  NetBytes bytes_ = pattern(1, kDatagramBytesMax);
  Time a_clock_;
  Time b_clock_;
  double speed_ = 1;
};

TEST_CASE("After a sleep both directions recover as fast as after an outage",
          "[net][transport][clocks]") {
  const auto [rate, latency] =
      GENERATE(table<double, Duration>({{250e3, 15ms}, {2e6, 15ms}, {250e3, 60ms}}));
  const Duration length = GENERATE(700ms, 3000ms, 5000ms, 13'100ms, 30'000ms);
  const auto [a_sleeps, b_sleeps] =
      GENERATE(table<bool, bool>({{false, false}, {true, false}, {false, true}, {true, true}}));
  CAPTURE(rate, latency.count(), length.count(), a_sleeps, b_sleeps);
  TwoClocks clocks(rate, latency);
  clocks.run(15s);
  clocks.interrupt(length, a_sleeps, b_sleeps);
  clocks.run(1s);
  const TwoClocks::Rates after = clocks.run(8s);
  CAPTURE(after.down, after.up);
  REQUIRE(after.down >= 0.75 * rate);
  REQUIRE(after.up >= 0.75 * rate);
}

TEST_CASE("A clock that jumps ahead is not mistaken for a queue", "[net][transport][clocks]") {
  const Duration step = GENERATE(100ms, 900ms, 2500ms, 8000ms);
  CAPTURE(step.count());
  TwoClocks clocks(250e3);
  clocks.run(15s);
  clocks.jump_of_b(step);
  clocks.run(1s);
  const TwoClocks::Rates after = clocks.run(8s);
  CAPTURE(after.down, after.up);
  REQUIRE(after.down >= 0.75 * 250e3);
  REQUIRE(after.up >= 0.75 * 250e3);
}

TEST_CASE("A clock with another speed is not mistaken for a queue, and does not hide a queue",
          "[net][transport][clocks]") {
  const double speed = GENERATE(0.8, 0.95, 0.99, 1.01, 1.05, 1.2);
  CAPTURE(speed);
  TwoClocks clocks(250e3);
  clocks.set_speed_of_b(speed);
  clocks.run(15s);
  const TwoClocks::Rates after = clocks.run(10s);
  CAPTURE(after.down, after.up, clocks.queue_max().count());
  // When both directions are full, the estimator cannot determine which direction has the queue.
  REQUIRE(after.down >= 0.5 * 250e3);
  REQUIRE(after.up >= 0.5 * 250e3);
  REQUIRE(clocks.queue_max() < 180ms);
}

TEST_CASE("After a sleep the peer's clock is known again at once", "[net][transport][clocks]") {
  TwoClocks clocks(250e3);
  clocks.run(5s);
  clocks.interrupt(2s, true, false);
  clocks.run(1s);
  const Duration error = clocks.b().peer_clock().at(clocks.b_clock()).value() - clocks.a_clock();
  // Packets contain only the low bits of the time, which cover 6.5 s.
  const Duration range = 65'536 * kWireTimeUnit;
  const Duration off = ((error + range / 2) % range + range) % range - range / 2;
  CAPTURE(error.count(), off.count());
  REQUIRE(off < 40ms);
  REQUIRE(off > -40ms);
}

}  // namespace
}  // namespace muster
