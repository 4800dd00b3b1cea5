// The rate and the queue on many kinds of bottlenecks. Whole connections over the simulated network
// always have more data to send.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <catch2/catch.hpp>

#include "tests/support/bottleneck.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

/// Returns a bottleneck with a rate in kilobits per second and a queue length.
LinkOptions path(double rate, Duration latency, Duration queue) {
  const double bytes = kilobits(rate) * std::chrono::duration<double>(queue).count();
  return {.latency = latency,
          .bytes_per_second = kilobits(rate),
          .queue_bytes = static_cast<std::size_t>(bytes)};
}

TEST_CASE("The whole rate of a bottleneck is used, and its queue stays short",
          "[net][transport][sys-31]") {
  const double rate = GENERATE(128.0, 512.0, 2000.0, 10'000.0);
  const Duration latency = GENERATE(10ms, 40ms);
  CAPTURE(rate, latency.count());
  // The queue is one second long. An algorithm that reacts only to loss would fill it.
  Bottleneck bottleneck(1, path(rate, latency, 1s));
  bottleneck.add_flow();
  bottleneck.run(5s);
  const Bottleneck::Report report = bottleneck.measure(15s);
  CAPTURE(report.used, report.delay_p95.count());
  REQUIRE(report.used >= 0.95);
  REQUIRE(report.used <= 1.01);
  // At 128 kbit/s a message of 1024 bytes takes 69 ms, and the next message waits.
  REQUIRE(report.delay_p95 <= (rate < 200 ? Duration(100ms) : Duration(50ms)));
}

TEST_CASE("On a slow path, data that can be divided is sent in small packets",
          "[net][transport][sys-31]") {
  const Offer offer = GENERATE(Offer::small_messages, Offer::block, Offer::payloads);
  const Duration latency = GENERATE(10ms, 40ms);
  CAPTURE(static_cast<int>(offer), latency.count());
  Bottleneck bottleneck(1, path(128, latency, 1s), offer);
  bottleneck.add_flow();
  bottleneck.run(5s);
  const Bottleneck::Report report = bottleneck.measure(15s);
  CAPTURE(report.used, report.delay_p95.count());
  REQUIRE(report.used >= 0.95);
  REQUIRE(report.delay_p95 <= 50ms);
}

TEST_CASE("A game gets a smaller budget when a small packet takes longer than a tick",
          "[net][transport][sys-31]") {
  const auto [rate, expected] = GENERATE(table<double, std::size_t>({
      {5'000, 150},   // the minimum
      {15'000, 180},  // the bytes that take 12 ms
      {40'000, 300},  // 300 bytes take 7.5 ms
  }));
  CAPTURE(rate);
  SendRate path({.rate_max = rate});
  const Time now(1s);
  path.sent(now, 1200, true);
  // Until this time, the sent bytes use the whole rate.
  const Time paid =
      now - kBurst +
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1200 / rate));
  REQUIRE(path.game_budget(paid - 1ms, 0) == 0);
  REQUIRE(path.game_budget(paid + 1ms, 0) == expected);
  // Waiting data, and a game that has waited, may still fill a small packet.
  REQUIRE(path.budget(paid + 1ms, 0) == 300);
  REQUIRE(path.game_budget(paid + kBurst + 1ms, 0) == path.budget(paid + kBurst + 1ms, 0));
  REQUIRE(path.game_budget(paid + kBurst + 1ms, 0) >= 300);
}

TEST_CASE("A slow path is not probed for larger packets, and a fast path is probed at a known rate",
          "[net][transport][sys-22][sys-31]") {
  const auto [rate, found] = GENERATE(table<double, std::size_t>({
      {128, 1200},
      {256, 1200},
      {2000, 1472},
  }));
  CAPTURE(rate);
  Bottleneck bottleneck(1, path(rate, 10ms, 1s), Offer::small_messages);
  bottleneck.add_flow();
  bottleneck.run(900ms);
  REQUIRE(bottleneck.datagram_bytes(0) == 1200);
  bottleneck.run(3s);
  REQUIRE(bottleneck.datagram_bytes(0) == found);
}

TEST_CASE("A game that uses its whole budget 60 times a second finds the rate of the bottleneck",
          "[net][transport][sys-31]") {
  const double rate = GENERATE(512.0, 2000.0, 6000.0);
  const Duration latency = GENERATE(10ms, 40ms, 100ms);
  CAPTURE(rate, latency.count());
  Bottleneck bottleneck(1, path(rate, latency, 1s), Offer::payloads);
  bottleneck.add_flow();
  bottleneck.run(8s);
  const Bottleneck::Report report = bottleneck.measure(15s);
  CAPTURE(report.used, report.delay_p95.count());
  REQUIRE(report.used >= 0.9);
  // Up to 17 ms of this delay are packets of a burst that wait for each other.
  REQUIRE(report.delay_p95 <= 75ms);
}

TEST_CASE("The rate follows a bottleneck that changes in either direction",
          "[net][transport][sys-31]") {
  const Offer offer = GENERATE(Offer::messages, Offer::payloads);
  Bottleneck bottleneck(2, path(4000, 25ms, 1s), offer);
  bottleneck.add_flow();
  bottleneck.run(5s);
  for (const double rate : {1000.0, 6000.0, 500.0, 3000.0}) {
    CAPTURE(rate);
    bottleneck.set_rate(kilobits(rate));
    bottleneck.run(5s);
    const Bottleneck::Report report = bottleneck.measure(8s);
    CAPTURE(report.used, report.delay_p95.count());
    REQUIRE(report.used >= (offer == Offer::messages ? 0.95 : 0.85));
    REQUIRE(report.delay_p95 <= 50ms);
  }
}

TEST_CASE(
    "When the rate of a path falls to a twentieth, the sender does not return to its earlier rate",
    "[net][transport][sys-31]") {
  const Duration latency = GENERATE(10ms, 25ms, 60ms);
  const Offer offer = GENERATE(Offer::messages, Offer::payloads);
  CAPTURE(latency.count(), static_cast<int>(offer));
  Bottleneck bottleneck(1, path(10'000, latency, 1s), offer);
  bottleneck.add_flow();
  bottleneck.run(8s);
  bottleneck.set_rate(kilobits(500));
  bottleneck.run(1500ms);
  double rate_max = 0;
  for (int i = 0; i < 500; ++i) {
    bottleneck.run(20ms);
    rate_max = std::max(rate_max, bottleneck.estimate(0).bytes_per_second());
  }
  REQUIRE(rate_max <= kilobits(1000));
  const Bottleneck::Report report = bottleneck.measure(8s);
  CAPTURE(report.used, report.delay_p95.count());
  REQUIRE(report.used >= 0.95);
  REQUIRE(report.delay_p95 <= 60ms);
}

/// Returns the measurements of two senders, from ten seconds after the start of the second sender.
Bottleneck::Report two_flows(Bottleneck bottleneck, Duration head_start) {
  bottleneck.add_flow();
  bottleneck.run(head_start);
  bottleneck.add_flow();
  bottleneck.run(10s);
  return bottleneck.measure(20s);
}

TEST_CASE("Two senders on one bottleneck converge to equal shares", "[net][transport][sys-31]") {
  const Offer offer = GENERATE(Offer::messages, Offer::payloads);
  const double rate = GENERATE(1000.0, 2000.0);
  const Duration head_start = GENERATE(0ms, 7000ms);
  CAPTURE(rate, head_start.count());
  const Bottleneck::Report report =
      two_flows(Bottleneck(3, path(rate, 25ms, 1s), offer), head_start);
  CAPTURE(report.used, report.delay_p95.count(), report.fairness);
  REQUIRE(report.fairness >= 0.95);
  REQUIRE(report.used >= 0.95);
  REQUIRE(report.delay_p95 <= 60ms);
}

TEST_CASE("On a long path two senders converge to equal shares within ten seconds",
          "[net][transport][sys-31]") {
  const double rate = GENERATE(500.0, 2000.0, 6000.0);
  const Duration head_start = GENERATE(7000ms, 7700ms);
  CAPTURE(rate, head_start.count());
  const Bottleneck::Report report =
      two_flows(Bottleneck(1, path(rate, 60ms, 1s), Offer::payloads), head_start);
  CAPTURE(report.used, report.delay_p95.count(), report.fairness);
  REQUIRE(report.fairness >= 0.93);
  REQUIRE(report.used >= 0.95);
  REQUIRE(report.delay_p95 <= 50ms);
}

TEST_CASE(
    "Across an ocean two senders of short packets converge to equal shares within ten seconds",
    "[net][transport][sys-31]") {
  const auto [offer, fairness] =
      GENERATE(table<Offer, double>({{Offer::messages, 0.95}, {Offer::payloads, 0.9}}));
  const double rate = GENERATE(6000.0, 10'000.0);
  const Duration head_start = GENERATE(7000ms, 7700ms, 11'300ms);
  CAPTURE(static_cast<int>(offer), rate, head_start.count());
  const Bottleneck::Report report =
      two_flows(Bottleneck(1, path(rate, 100ms, 1s), offer), head_start);
  CAPTURE(report.used, report.delay_p95.count(), report.fairness);
  REQUIRE(report.fairness >= fairness);
  REQUIRE(report.used >= 0.95);
  REQUIRE(report.delay_p95 <= 50ms);
}

TEST_CASE("Loss of the path itself does not stop the sender", "[net][transport][sys-31]") {
  const auto [loss, used] = GENERATE(table<double, double>({{0.05, 0.9}, {0.25, 0.88}}));
  CAPTURE(loss);
  LinkOptions link = path(2000, 25ms, 500ms);
  link.loss = loss;
  Bottleneck bottleneck(4, link);
  bottleneck.add_flow();
  bottleneck.run(5s);
  const Bottleneck::Report report = bottleneck.measure(15s);
  CAPTURE(report.used, report.delay_p95.count());
  REQUIRE(report.used >= used);
  REQUIRE(report.delay_p95 <= 60ms);
}

TEST_CASE("A path that becomes longer or shorter is not mistaken for a queue",
          "[net][transport][sys-31]") {
  // The estimator needs several round trips to distinguish the two causes.
  const auto [longer, used] = GENERATE(table<Duration, double>({{75ms, 0.93}, {150ms, 0.65}}));
  const Offer offer = GENERATE(Offer::messages, Offer::payloads);
  CAPTURE(longer.count(), static_cast<int>(offer));
  Bottleneck bottleneck(6, path(2000, 15ms, 1s), offer);
  bottleneck.add_flow();
  bottleneck.run(5s);
  for (const Duration latency : {longer, Duration(15ms), longer}) {
    CAPTURE(latency.count());
    bottleneck.set_latency(latency);
    bottleneck.run(1s);
    const Bottleneck::Report report = bottleneck.measure(12s);
    CAPTURE(report.used, report.delay_p95.count());
    REQUIRE(report.used >= used);
    REQUIRE(report.delay_p95 <= 75ms);
  }
}

TEST_CASE("A queue on a path that became longer is still detected", "[net][transport][sys-31]") {
  Bottleneck bottleneck(8, path(8000, 20ms, 5s));
  bottleneck.add_flow();
  bottleneck.run(5s);
  bottleneck.set_latency(220ms);
  bottleneck.run(2s);
  bottleneck.set_rate(kilobits(800));
  bottleneck.run(12s);
  const Bottleneck::Report report = bottleneck.measure(8s);
  CAPTURE(report.used, report.delay_p95.count());
  REQUIRE(report.delay_p95 <= 150ms);
}

TEST_CASE("Random delay of the path is not mistaken for a queue", "[net][transport][sys-31]") {
  const Duration jitter = GENERATE(30ms, 60ms, 100ms);
  CAPTURE(jitter.count());
  LinkOptions link = path(1000, 30ms, 1s);
  link.jitter = jitter;
  Bottleneck one(1, link, Offer::payloads);
  one.add_flow();
  one.run(20s);
  const Bottleneck::Report report = one.measure(40s);
  REQUIRE(report.used >= 0.9);
  // The measured minimum is a few milliseconds longer than the queue.
  REQUIRE(report.delay_p95 <= 75ms);
}

TEST_CASE("Random delay with random loss is not mistaken for a queue", "[net][transport][sys-31]") {
  const Duration jitter = GENERATE(60ms, 100ms);
  const double loss = GENERATE(0.03, 0.05);
  CAPTURE(jitter.count(), loss);
  LinkOptions link = path(1000, 30ms, 1s);
  link.jitter = jitter;
  link.loss = loss;
  double used = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Bottleneck one(seed, link, Offer::payloads);
    one.add_flow();
    one.run(20s);
    const double share = one.measure(40s).used;
    // A rate that was much too low is still growing.
    REQUIRE(share >= 0.5);
    used += share / 6;
  }
  REQUIRE(used >= 0.75);
}

TEST_CASE("A game that sends little is not slowed down by random delay",
          "[net][transport][sys-31]") {
  const Duration jitter = GENERATE(30ms, 60ms, 100ms);
  const Jitter kind = GENERATE(Jitter::uniform, Jitter::exponential);
  CAPTURE(jitter.count(), static_cast<int>(kind));
  const LinkOptions link{.latency = 50ms, .jitter = jitter, .jitter_kind = kind};
  ConnectionPair pair(5, {}, link, link);
  Connection& sender = pair.a->connection;
  Connection& receiver = pair.b->connection;
  int received = 0;
  for (int i = 0; i < 60 * 60; ++i) {
    static_cast<void>(sender.send_payload(pattern(1, 60), 0));
    static_cast<void>(receiver.send_payload(pattern(1, 40), 0));
    pair.step(16'667us);
    for (; !receiver.payload().bytes.empty(); receiver.pop_payload()) received += i >= 20 * 60;
    for (; !sender.payload().bytes.empty(); sender.pop_payload()) {
    }
    sender.clear_delivery_reports();
    receiver.clear_delivery_reports();
  }
  // The game sends 60 payloads per second for 40 seconds.
  REQUIRE(received >= 39 * 60);
}

TEST_CASE("A delay that disappears suddenly is not treated as a queue",
          "[net][transport][sys-31]") {
  Bottleneck bottleneck(7, path(3000, 20ms, 1s));
  bottleneck.add_flow();
  bottleneck.run(5s);
  double used = 0;
  for (int i = 0; i < 20; ++i) {
    bottleneck.set_latency(20ms);
    used += bottleneck.measure(900ms).used * 0.9;
    bottleneck.set_latency(60ms);
    used += bottleneck.measure(100ms).used * 0.1;
  }
  CAPTURE(used / 20);
  REQUIRE(used / 20 >= 0.92);
}

TEST_CASE("A short queue without measurable delay does not keep overflowing",
          "[net][transport][sys-31]") {
  const double rate = GENERATE(1000.0, 2000.0, 10'000.0);
  CAPTURE(rate);
  Bottleneck bottleneck(5, path(rate, 40ms, 10ms));
  bottleneck.add_flow();
  bottleneck.run(5s);
  // The rate grows slowly until the queue overflows, and then falls. So the loss of all packets is
  // measured, because the loss of the last 64 packets varies.
  const auto [delivered, lost] = bottleneck.deliveries(0);
  double used = 0;
  double estimated = 0;
  constexpr int kParts = 150;
  for (int i = 0; i < kParts; ++i) {
    used += bottleneck.measure(100ms).used / kParts;
    estimated += bottleneck.estimate(0).loss() / kParts;
  }
  const auto [delivered_now, lost_now] = bottleneck.deliveries(0);
  const double share = static_cast<double>(lost_now - lost) /
                       static_cast<double>(lost_now - lost + delivered_now - delivered);
  CAPTURE(used, share, estimated);
  REQUIRE(used >= 0.8);
  REQUIRE(share < 0.15);
  REQUIRE(std::abs(estimated - share) < 0.02);
}

TEST_CASE("A game that sends less than its budget keeps its rate", "[net][transport][sys-31]") {
  SendRate rate;
  RoundTrip trip;
  Time now(1s);
  for (int tick = 0; tick < 600; ++tick, now += 16ms) {
    PacketRecord record{.sent_at = now, .byte_count = 100};
    rate.stamp(record);
    rate.sent(now, record.byte_count, false);
    trip.add(now, 20ms, 0ms);
    rate.delivered(now, record, 0ms, trip);
  }
  // Higher rates were not tested, so the rate is unchanged.
  REQUIRE(rate.bytes_per_second() == SendRate().bytes_per_second());
}

TEST_CASE("A game that sends less while a queue becomes empty keeps the rate of its path",
          "[net][transport][sys-31]") {
  const bool wants_more = GENERATE(false, true);
  CAPTURE(wants_more);
  SendRate rate;
  RoundTrip trip;
  Time now(1s);
  // Sends one packet per tick, for which the peer reports a delay.
  const auto send = [&](double bytes_per_second, bool is_full, Duration delay) {
    now += 10ms;
    PacketRecord record{.sent_at = now - 20ms,
                        .byte_count = static_cast<std::uint16_t>(bytes_per_second / 100)};
    rate.stamp(record);
    rate.sent(now, record.byte_count, is_full);
    trip.add(now, 20ms, 0ms);
    rate.delivered(now, record, delay, trip);
  };
  while (now < Time(6s)) send(rate.bytes_per_second(), true, 14ms);
  const double before = rate.bytes_per_second();
  // While there is a queue, the game sends a tenth of the path's rate.
  for (Duration delay = 120ms; delay > 14ms; delay -= 2ms) {
    send(std::min(before, rate.bytes_per_second()) / 10, wants_more, delay);
  }
  for (int i = 0; i < 12; ++i) send(before / 10, false, 14ms);
  const double after = rate.bytes_per_second();
  CAPTURE(before, after);
  if (wants_more) {
    REQUIRE(after < before / 2);
  } else {
    REQUIRE(after > before * 0.7);
  }
}

}  // namespace
}  // namespace muster
