// When a connection sends packets without data, when it waits with data, and how fast it recovers.
#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "net/transport/connection.h"
#include "net/wire/bit_stream.h"
#include "tests/support/connection_pair.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

/// Returns options without probes of the path's size.
ConnectionOptions options() {
  return {.channels = {ChannelOptions{}}, .datagram_bytes_max = kDatagramBytesSafe};
}

/// The parts of a sent packet that the tests need.
struct Sent {
  Time at;
  std::uint8_t sections = 0;
  NetBytes after_head;
};

/// Runs a connection that receives nothing, and returns the packets that it sends.
std::vector<Sent> listen(Connection& connection, Time& now, Duration duration) {
  std::vector<Sent> packets;
  std::array<std::byte, kDatagramBytesMax> memory;
  for (const Time end = now + duration; now < end; now += 1ms) {
    connection.tick(now);
    while (connection.wants_to_send(now)) {
      const std::span<const std::byte> body = connection.write_packet(now, memory);
      BitReader bits(body);
      const PacketHeader header = read_packet_header(bits);
      REQUIRE_FALSE(bits.failed());
      packets.push_back({.at = now,
                         .sections = header.sections,
                         .after_head = copy_of(body.subspan(bits.bit_position() / 8))});
    }
  }
  return packets;
}

const NetBytes kPing = bytes_of({1, static_cast<unsigned>(ControlItem::ping)});

TEST_CASE("An idle connection sends a ping every 250 ms, even while it is interrupted",
          "[net][transport][sys-22][sys-32]") {
  Time now(1s);
  Connection connection(options(), now);
  const std::vector<Sent> packets = listen(connection, now, 10'100ms);
  REQUIRE(connection.state() == ConnectionState::interrupted);
  REQUIRE(packets.size() == 40);
  for (std::size_t i = 0; i < packets.size(); ++i) {
    CAPTURE(i);
    REQUIRE(packets[i].at == Time(1s) + (i + 1) * 250ms);
    REQUIRE(packets[i].sections == kControlSection);
    REQUIRE(packets[i].after_head == kPing);
  }
}

TEST_CASE("A ping is sent exactly 250 ms after the last packet", "[net][transport]") {
  Time now(1s);
  Connection connection(options(), now);
  REQUIRE(listen(connection, now, 200ms).empty());
  REQUIRE(connection.send_payload(pattern(1, 10), 1) == SendStatus::queued);
  const std::vector<Sent> packets = listen(connection, now, 300ms);
  REQUIRE(packets.size() == 2);
  REQUIRE(packets[0].sections == kPayloadSection);
  REQUIRE(packets[1].at - packets[0].at == 250ms);
  REQUIRE(packets[1].after_head == kPing);
}

TEST_CASE("With 1024 packets in flight, only a ping is sent, every 300 ms, and it is counted",
          "[net][transport][sys-25][sys-29][sys-36]") {
  Time now(1s);
  Connection connection(options(), now);
  std::array<std::byte, kDatagramBytesMax> memory;
  for (std::uint32_t i = 0; i < kPacketsInFlightMax; ++i) {
    static_cast<void>(connection.write_packet(now, memory));
  }
  REQUIRE(connection.counters().choked == 0);
  REQUIRE(connection.send_payload(pattern(1, 10), 1) == SendStatus::queued);
  REQUIRE(connection.send_message(0, pattern(2, 10)) == SendStatus::queued);
  const std::vector<Sent> packets = listen(connection, now, 499ms);
  REQUIRE(packets.size() == 2);
  REQUIRE(packets[1].at - packets[0].at == 300ms);
  for (const Sent& each : packets) {
    REQUIRE(each.sections == kControlSection);
    REQUIRE(each.after_head == kPing);
  }
  REQUIRE(connection.counters().choked == 2);
  REQUIRE(connection.counters().payloads_out == 0);
  REQUIRE(connection.counters().messages_out == 0);
  // After half a second, all packets are reported as lost, and the waiting data is sent.
  const std::vector<Sent> next = listen(connection, now, 100ms);
  REQUIRE_FALSE(next.empty());
  REQUIRE(next[0].sections == (kPayloadSection | kMessageSection));
  REQUIRE(connection.counters().choked == 2);
}

TEST_CASE("After two seconds of silence every message arrives within a few round trips",
          "[net][transport][sys-35]") {
  // A lost message is sent again about once per round trip, and later messages wait. The bounds
  // were verified with 80 seeds.
  const auto [loss, round_trips] = GENERATE(table<double, int>({
      {0.0, 6},
      {0.1, 17},
      {0.3, 40},
      {0.6, 260},  // The rate falls to its minimum of 2,000 bytes per second.
  }));
  const std::uint64_t seed = GENERATE(1U, 2U, 3U, 4U);
  CAPTURE(loss, seed);
  constexpr Duration kLatency = 30ms;
  const LinkOptions link{.latency = kLatency, .loss = loss};
  ConnectionPair pair(seed, options(), link, link);
  const Time dark(4s);
  const Time light = dark + 2s;
  const auto set_down = [&](bool is_down) {
    pair.network.link(pair.there_link).is_down = is_down;
    pair.network.link(pair.back_link).is_down = is_down;
  };
  std::vector<Time> sent_at;
  std::uint32_t received = 0;
  Duration waited{};
  while (pair.now < light + 5s || (received < sent_at.size() && pair.now < light + 60s)) {
    if (pair.now >= dark) set_down(pair.now < light);
    if (pair.now < light + 5s) {
      const auto number = static_cast<std::uint32_t>(sent_at.size());
      REQUIRE(pair.a->connection.send_message(0, pattern(number, 40)) == SendStatus::queued);
      sent_at.push_back(pair.now);
    }
    pair.step(16ms);
    Connection& b = pair.b->connection;
    for (; !b.message(0).empty(); b.pop_message(0), ++received) {
      REQUIRE(copy_of(b.message(0)) == pattern(received, 40));
      if (sent_at[received] >= dark) {
        waited = std::max(waited, pair.now - std::max(sent_at[received], light));
      }
    }
  }
  REQUIRE(received == sent_at.size());
  REQUIRE(waited < 2 * kLatency * round_trips);
}

}  // namespace
}  // namespace muster
