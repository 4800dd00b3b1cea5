// Tests that loops of 5 to 250 Hz use their whole paths, with any order of receiving, asking for a
// budget and sending. Time is simulated.
#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "tests/support/connection_pair.h"
#include "tests/support/filled_budget.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

/// A sender that fills its budget at each tick, and a receiver with another loop.
class TwoLoops {
 public:
  struct Options {
    double bytes_per_second = 0;
    Duration latency{};
    double hertz = 60;
    double peer_hertz = 60;
    /// The order of calls in a tick: `r` receives, `a` asks for the budget and fills it with
    /// payloads, `s` sends.
    std::string_view order = "ras";
    int ticks_per_question = 1;
  };
  struct Report {
    double used = 0;
    double estimate_max = 0;  ///< The maximum estimated rate, as a fraction of the path's rate.
    std::uint64_t late = 0;   ///< The packets that were delivered after they were reported as lost.
  };

  explicit TwoLoops(const Options& options)
      : options_(options), pair_(1, connection(), link(), link()) {}

  void run(Duration duration) {
    for (const Time end = pair_.now + duration; pair_.now < end;) step();
  }
  Report measure(Duration duration) {
    const std::uint64_t before = carried();
    estimate_max_ = 0;
    const Time began = pair_.now;
    run(duration);
    const double seconds = std::chrono::duration<double>(pair_.now - began).count();
    const auto bytes = static_cast<double>(carried() - before);
    return {.used = bytes / seconds / options_.bytes_per_second,
            .estimate_max = estimate_max_ / options_.bytes_per_second,
            .late = pair_.a->connection.counters().late_out};
  }

 private:
  static ConnectionOptions connection() { return {.channels = {ChannelOptions{}}}; }
  LinkOptions link() const {
    return {.latency = options_.latency,
            .bytes_per_second = options_.bytes_per_second,
            .queue_bytes = static_cast<std::size_t>(options_.bytes_per_second / 2)};
  }
  /// Returns the bytes on the link, including the IPv4 and UDP headers.
  std::uint64_t carried() const {
    const ConnectionCounters counters = pair_.b->connection.counters();
    return counters.bytes_in + 28 * counters.packets_in;
  }

  void step() {
    pair_.now = std::min(next_, peer_next_);
    pair_.network.advance(pair_.now);
    if (pair_.now == next_) {
      for (const char call : options_.order) tick(call);
      ++ticks_;
      next_ += duration_of(1 / options_.hertz);
    } else {
      pair_.b->receive(pair_.now);
      while (!pair_.b->connection.payload().bytes.empty()) pair_.b->connection.pop_payload();
      pair_.b->send(pair_.now);
      peer_next_ += duration_of(1 / options_.peer_hertz);
    }
    estimate_max_ = std::max(estimate_max_, pair_.a->connection.rate().bytes_per_second());
  }
  void tick(char call) {
    if (call == 'r') pair_.a->receive(pair_.now);
    if (call == 's') pair_.a->send(pair_.now);
    if (call == 'a' && ticks_ % options_.ticks_per_question == 0) {
      REQUIRE(fill_budget(pair_.a->connection, pair_.now, bytes_) == SendStatus::queued);
    }
  }

  Options options_;
  ConnectionPair pair_;
  NetBytes bytes_ = pattern(1, kDatagramBytesMax);
  Time next_ = Time(1s);
  Time peer_next_ = Time(1s) + 5ms;
  int ticks_ = 0;
  double estimate_max_ = 0;
};

TEST_CASE("A loop of any rate, with any order of its calls, uses the whole path",
          "[net][transport][loops]") {
  const double hertz = GENERATE(5.0, 10.0, 20.0, 30.0, 60.0, 128.0, 250.0);
  const std::string order = GENERATE("ras", "rsa", "sra", "asr", "sras");
  const double rate = GENERATE(32'000.0, 250'000.0);
  CAPTURE(hertz, order, rate);
  TwoLoops loops({.bytes_per_second = rate, .latency = 15ms, .hertz = hertz, .order = order});
  loops.run(14s);
  const TwoLoops::Report report = loops.measure(8s);
  CAPTURE(report.used, report.estimate_max, report.late);
  REQUIRE(report.used >= 0.9);
  REQUIRE(report.estimate_max <= 1.5);
  REQUIRE(report.late == 0);
}

TEST_CASE(
    "A slow loop uses a fast path, although one acknowledgement does not cover all its packets",
    "[net][transport][loops]") {
  const double hertz = GENERATE(7.0, 10.0, 20.0);
  CAPTURE(hertz);
  TwoLoops loops(
      {.bytes_per_second = 2'500'000, .latency = 15ms, .hertz = hertz, .peer_hertz = hertz});
  loops.run(20s);
  const TwoLoops::Report report = loops.measure(8s);
  CAPTURE(report.used, report.estimate_max, report.late);
  REQUIRE(report.used >= 0.9);
  REQUIRE(report.estimate_max <= 1.5);
  REQUIRE(report.late == 0);
}

TEST_CASE("A loop of 60 Hz uses a path that carries more than 16 packets in a tick",
          "[net][transport][loops]") {
  const double rate = GENERATE(1'250'000.0, 2'500'000.0, 5'000'000.0);
  CAPTURE(rate);
  TwoLoops loops({.bytes_per_second = rate, .latency = 15ms});
  loops.run(14s);
  const TwoLoops::Report report = loops.measure(8s);
  CAPTURE(report.used, report.estimate_max, report.late);
  REQUIRE(report.used >= 0.9);
}

TEST_CASE("A game that requests its budget in every third tick uses the whole path",
          "[net][transport][loops]") {
  TwoLoops loops({.bytes_per_second = 250'000, .latency = 15ms, .ticks_per_question = 3});
  loops.run(10s);
  REQUIRE(loops.measure(8s).used >= 0.9);
}

}  // namespace
}  // namespace muster
