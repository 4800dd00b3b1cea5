// Tests how a game's payloads, messages and blocks share a slow path.
#include <algorithm>
#include <chrono>

#include <catch2/catch.hpp>

#include "net/wire/section_writer.h"
#include "registry/base/bytes.h"
#include "tests/support/connection_pair.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

/// Returns a link with a queue of one second.
LinkOptions path(double kilobits, Duration latency) {
  return {.latency = latency,
          .bytes_per_second = kilobits * 125,
          .queue_bytes = static_cast<std::size_t>(kilobits * 125)};
}

/// Sends blocks without end.
struct BlockSender {
  explicit BlockSender(double kilobits) : pair(3, {}, path(kilobits, 40ms), {.latency = 40ms}) {
    std::uint16_t id = 0;
    REQUIRE(game.send_block(block, id) == SendStatus::queued);
  }

  NetBytes block = NetBytes(4'000'000);
  ConnectionPair pair;
  Connection& game = pair.a->connection;
};

TEST_CASE("Beside a game that uses all of its budget, a block uses only its share",
          "[net][transport][sys-32]") {
  const double rate = GENERATE(128.0, 512.0);
  CAPTURE(rate);
  BlockSender sender(rate);
  ConnectionPair& pair = sender.pair;
  Connection& game = sender.game;
  const auto run = [&pair, &game](Duration time) {
    for (const Time end = pair.now + time; pair.now < end;) {
      const Time tick = pair.now + 16'667us;
      while (const std::size_t payload_bytes =
                 std::min(game.budget(tick), game.payload_bytes_max())) {
        REQUIRE(game.send_payload(NetBytes(payload_bytes), 0) == SendStatus::queued);
      }
      pair.step(16'667us);
      for (Connection& there = pair.b->connection; !there.payload().bytes.empty();) {
        there.pop_payload();
      }
      game.clear_delivery_reports();
    }
  };
  run(10s);
  const ConnectionCounters before = game.counters();
  run(20s);
  const ConnectionCounters after = game.counters();
  const auto payloads = static_cast<double>(after.payload_bytes_out - before.payload_bytes_out);
  const auto blocks = static_cast<double>(after.block_bytes_out - before.block_bytes_out);
  CAPTURE(payloads, blocks);
  // The weights of payloads and blocks are 8 and 1.
  REQUIRE(blocks / payloads < 1.5 / 8);
  REQUIRE(blocks / payloads > 0.5 / 8);
}

TEST_CASE("If a game sends little, long messages use the remaining budget",
          "[net][transport][sys-32]") {
  ConnectionPair pair(3, {.channels = {{.delivery = Delivery::reliable_ordered, .weight = 1}}},
                      path(128, 40ms), {.latency = 40ms});
  Connection& game = pair.a->connection;
  Connection& there = pair.b->connection;
  const auto run = [&](int ticks) {
    int messages = 0;
    for (int i = 0; i < ticks; ++i) {
      static_cast<void>(game.send_message(0, pattern(1, kMessageBytesMax)));
      static_cast<void>(game.send_payload(NetBytes(40), 0));
      pair.step(16'667us);
      for (; !there.payload().bytes.empty(); there.pop_payload()) {
      }
      for (; !there.message(0).empty(); there.pop_message(0)) ++messages;
      game.clear_delivery_reports();
    }
    return messages;
  };
  run(600);
  // The run lasts 20 s at 16,000 bytes per second, of which the payloads use 6,500.
  REQUIRE(run(1200) > 100);
}

TEST_CASE("Short payloads do not wait for a block whose chunks fit into each packet",
          "[net][transport][sys-32]") {
  const double rate = GENERATE(64.0, 128.0, 256.0);
  CAPTURE(rate);
  BlockSender sender(rate);
  ConnectionPair& pair = sender.pair;
  Connection& game = sender.game;
  int received = 0;
  Duration oldest{};
  for (std::uint64_t i = 0; i < 60 * 60; ++i) {
    NetBytes payload(20);
    SectionWriter(payload).write_u64(i);
    static_cast<void>(game.send_payload(payload, 0));
    pair.step(16'667us);
    for (Connection& there = pair.b->connection; !there.payload().bytes.empty();) {
      const std::uint64_t sent = ByteReader(there.payload().bytes).u64();
      if (i >= 20 * 60) {
        ++received;
        oldest = std::max<Duration>(oldest, 16'667us * (i - sent));
      }
      there.pop_payload();
    }
    game.clear_delivery_reports();
  }
  const double blocks = static_cast<double>(game.counters().block_bytes_out) / 60;
  CAPTURE(received, oldest.count(), blocks);
  REQUIRE(received >= 40 * 60 - 10);
  REQUIRE(oldest <= 250ms);
  REQUIRE(blocks > 0.4 * rate * 125);
}

TEST_CASE(
    "Beside a game that uses all of its budget, messages use only their share of the allowance",
    "[net][transport][sys-32]") {
  // The game asks for its budget at each third tick. In the ticks between, messages must not use
  // the whole allowance.
  ConnectionPair pair(3, {.channels = {{.delivery = Delivery::reliable_ordered, .weight = 1}}},
                      {.latency = 20ms}, {.latency = 20ms});
  Connection& game = pair.a->connection;
  Connection& there = pair.b->connection;
  std::int64_t credit = 0;
  std::uint64_t packets_max = 0;
  for (int i = 0; i < 1800; ++i) {
    credit = std::min<std::int64_t>(credit + 250, 1500);
    game.allow(credit);
    static_cast<void>(game.send_message(0, pattern(1, kMessageBytesMax)));
    if (i % 3 == 0) {
      const std::size_t budget =
          std::min(game.budget(pair.now + 16'667us), game.payload_bytes_max());
      if (budget > 0) REQUIRE(game.send_payload(NetBytes(budget), 0) == SendStatus::queued);
    }
    const ConnectionCounters before = game.counters();
    pair.step(16'667us);
    credit -= static_cast<std::int64_t>(game.counters().bytes_out - before.bytes_out);
    packets_max = std::max(packets_max, game.counters().packets_out - before.packets_out);
    for (; !there.payload().bytes.empty(); there.pop_payload()) {
    }
    for (; !there.message(0).empty(); there.pop_message(0)) {
    }
    game.clear_delivery_reports();
  }
  const ConnectionCounters counters = game.counters();
  CAPTURE(counters.payload_bytes_out, counters.message_bytes_out);
  REQUIRE(counters.payload_bytes_out > 2 * counters.message_bytes_out);
  REQUIRE(counters.message_bytes_out > 0);
  // Waiting data causes no empty packets.
  REQUIRE(packets_max <= 3);
}

}  // namespace
}  // namespace muster
