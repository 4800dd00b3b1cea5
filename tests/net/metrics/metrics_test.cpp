#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include <catch2/catch.hpp>

#include "net/metrics/prometheus_text.h"
#include "net/metrics/summary_text.h"
#include "net/metrics/traffic_windows.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/connection_pair.h"
#include "tests/support/golden_file.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

/// Returns the totals after `steps` steps. In each step, one packet of 100 bytes arrives, and two
/// packets of 25 bytes are sent.
TrafficSample sample(Duration at, std::uint64_t steps) {
  return {.at = Time(at),
          .totals = {.bytes_in = 100 * steps,
                     .bytes_out = 50 * steps,
                     .packets_in = steps,
                     .packets_out = 2 * steps,
                     .lost_in = steps / 4,
                     .lost_out = steps,
                     .delivered = steps},
          .round_trip = std::chrono::milliseconds(steps)};
}

TEST_CASE("Rates need two samples", "[net][metrics]") {
  TrafficWindows windows;
  REQUIRE(windows.last_second().over == 0s);
  windows.add(sample(5s, 7));
  REQUIRE(windows.last_second().over == 0s);
  REQUIRE(windows.last_samples().bytes_in_per_second == 0);
  windows.add(sample(5s, 9));  // No time has passed: there is no rate.
  REQUIRE(windows.last_samples().over == 0s);
  REQUIRE(windows.last_samples().bytes_in_per_second == 0);
}

TEST_CASE("A window of a second ignores earlier traffic at any tick rate", "[net][metrics]") {
  const Duration tick = GENERATE(1ms, 5ms, 20ms, 50ms);
  CAPTURE(tick.count());
  TrafficWindows windows;
  Duration at = 1s;
  std::uint64_t steps = 0;
  // A second with much traffic, which must be ignored, then three seconds with one step per tick.
  for (; at < 2s; at += tick) windows.add(sample(at, steps += 100));
  for (; at < 5s; at += tick) windows.add(sample(at, ++steps));
  const TrafficRates rates = windows.last_second();
  const double per_second = 1.0 / std::chrono::duration<double>(tick).count();
  REQUIRE(rates.over >= 1s);
  REQUIRE(rates.over <= 1s + 2 * kSecondWindowStep);
  REQUIRE(rates.bytes_in_per_second == Approx(100 * per_second));
  REQUIRE(rates.bytes_out_per_second == Approx(50 * per_second));
  REQUIRE(rates.packets_in_per_second == Approx(per_second));
  REQUIRE(rates.packets_out_per_second == Approx(2 * per_second));
  REQUIRE(rates.loss_out == Approx(0.5));
  REQUIRE(rates.loss_in == Approx(0.2).margin(0.02));
}

TEST_CASE("The window of samples contains 120 samples", "[net][metrics][sys-36]") {
  TrafficWindows windows;
  Duration at = 1s;
  std::uint64_t steps = 0;
  for (int i = 0; i < 500; ++i) windows.add(sample(at += 10ms, steps += 100));
  for (int i = 0; i < 120; ++i) windows.add(sample(at += 10ms, ++steps));
  const TrafficRates rates = windows.last_samples();
  REQUIRE(rates.over == 1200ms);
  REQUIRE(rates.packets_in_per_second == Approx(100));
  REQUIRE(rates.round_trip_max == std::chrono::milliseconds(steps));
  REQUIRE(rates.round_trip_mean == std::chrono::milliseconds(steps) - 59500us);
}

TEST_CASE("Samples of a live connection allocate nothing and show its loss",
          "[net][metrics][sys-36]") {
  ConnectionPair pair(3, {.channels = {ChannelOptions{}}}, {.latency = 20ms, .loss = 0.2},
                      {.latency = 20ms});
  TrafficWindows windows;
  const std::array<std::byte, 100> payload{};
  std::uint64_t allocations = 0;
  for (int i = 0; i < 600; ++i) {
    static_cast<void>(pair.a->connection.send_payload(payload, 0));
    pair.step(16ms);
    pair.a->connection.clear_delivery_reports();
    while (!pair.b->connection.payload().bytes.empty()) pair.b->connection.pop_payload();
    const std::uint64_t before = allocation_count();
    windows.add({.at = pair.now,
                 .totals = totals_of(pair.a->connection.counters()),
                 .round_trip = pair.a->connection.round_trip().smoothed()});
    static_cast<void>(windows.last_second());
    allocations += allocation_count() - before;
  }
  REQUIRE(allocations == 0);
  const TrafficRates rates = windows.last_samples();
  REQUIRE(rates.packets_out_per_second > 50);
  REQUIRE(rates.loss_out == Approx(0.2).margin(0.1));
  REQUIRE(rates.round_trip_mean >= 40ms);
  REQUIRE(rates.round_trip_mean < 80ms);
}

TEST_CASE("The summary is one readable line", "[net][metrics]") {
  std::string text;
  append_summary(text, "Eve\n",
                 {.over = 1s,
                  .bytes_in_per_second = 12345,
                  .bytes_out_per_second = 400,
                  .packets_in_per_second = 60,
                  .packets_out_per_second = 30,
                  .loss_in = 0.005,
                  .loss_out = 1,
                  .round_trip_mean = 34200us});
  REQUIRE(text ==
          "Eve?: in 12.3 kB/s 60/s loss 0.5 %, out 0.4 kB/s 30/s loss 100.0 %, rtt 34.2 ms\n");
}

/// Every counter has a different number, so that the test detects exchanged counters.
template <typename Counters>
Counters numbered() {
  std::array<std::uint64_t, sizeof(Counters) / sizeof(std::uint64_t)> numbers{};
  std::uint64_t next = 1000;
  for (std::uint64_t& number : numbers) number = next++;
  return std::bit_cast<Counters>(numbers);
}

std::string exported() {
  std::string text;
  append_prometheus(text, ServerMetrics{.counters = numbered<ServerCounters>(),
                                        .last_second = {.bytes_in_per_second = 1.5e9},
                                        .clients = 2,
                                        .is_dangerous = true});
  const std::array connections = {
      ConnectionMetrics{.client = "7",
                        .counters = numbered<ConnectionCounters>(),
                        .last_second = {.packets_in_per_second = 59.9, .loss_out = 0.25},
                        .round_trip = 34ms,
                        .round_trip_variation = 1500us,
                        .round_trip_minimum = 30ms,
                        .queue_delay = 100us,
                        .send_bytes_per_second = 125000,
                        .window_bytes = 4096,
                        .datagram_bytes = 1472},
      ConnectionMetrics{.client = "quote \" slash \\ line \n bell \a", .is_interrupted = true},
      ConnectionMetrics{.client = "quote \" slash \\ line \n bell \\x07"},
      // Different names stay different, for any bytes in them.
      ConnectionMetrics{.client = "Zo\u00EB \u6F22 \U0001F600"},
      ConnectionMetrics{.client = "Zo\u00E9 \xC3( \xED\xA0\x80 \xF0\x80\x80\x80 \xF0\x9F"},
  };
  append_prometheus(text, connections);
  return text;
}

// tests/conformance/prometheus_check.py checks the golden file against the format's rules.
TEST_CASE("The export equals the golden file", "[net][metrics][sys-36]") {
  const std::string golden = read_golden("net/metrics.prom");
  const std::string text = exported();
  if (text != golden) leave_for_comparison("metrics.prom", text);
  INFO("the exported text is metrics.prom in the build folder");
  REQUIRE(text == golden);
}

TEST_CASE("Every counter is exported once", "[net][metrics]") {
  const std::string text = exported();
  const auto times = [&text](std::uint64_t number) {
    const std::string row = " " + std::to_string(number) + "\n";
    int count = 0;
    for (std::size_t at = text.find(row); at != text.npos; at = text.find(row, at + 1)) ++count;
    return count;
  };
  // Each member has a number that identifies it. The numbers of a connection's counters also occur
  // in a server's counters. A server's refusals are an array of 16 for ten reasons; index 0 is
  // unused.
  const std::size_t connection = sizeof(ConnectionCounters) / 8;
  const std::size_t server = sizeof(ServerCounters) / 8;
  int found = 0;
  for (std::uint64_t number = 1000; number < 1000 + std::max(connection, server); ++number) {
    found += times(number);
  }
  REQUIRE(found == static_cast<int>(connection + server - 6));
}

TEST_CASE("Without connections no connection metrics are exported", "[net][metrics]") {
  std::string text;
  append_prometheus(text, std::span<const ConnectionMetrics>());
  REQUIRE(text.empty());
}

}  // namespace
}  // namespace muster
