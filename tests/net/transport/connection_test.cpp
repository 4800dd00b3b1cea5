#include "net/transport/connection.h"

#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "tests/support/connection_pair.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kOrdered = 0;
constexpr std::size_t kUnordered = 1;
constexpr std::size_t kUnreliable = 2;

ConnectionOptions three_channels() {
  return {.channels = {{.delivery = Delivery::reliable_ordered},
                       {.delivery = Delivery::reliable_unordered},
                       {.delivery = Delivery::unreliable}}};
}

/// Returns a message that contains its number, and whose bytes can be verified.
std::vector<std::byte> message_of(std::uint32_t number, std::size_t size) {
  std::vector<std::byte> bytes(std::max<std::size_t>(size, 4));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = i < 4 ? static_cast<std::byte>(number >> (8 * i))
                     : static_cast<std::byte>(number * 31 + i * 7);
  }
  return bytes;
}

/// Returns the number of a message. Fails the test if a byte is wrong.
std::uint32_t number_in(std::span<const std::byte> bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
  const std::vector<std::byte> expected = message_of(number, bytes.size());
  REQUIRE(std::equal(bytes.begin(), bytes.end(), expected.begin(), expected.end()));
  return number;
}

struct Weather {
  const char* name;
  LinkOptions link;
};

TEST_CASE("The guarantees of channels hold on any network", "[net][transport][sys-32][sys-35]") {
  const Weather weather = GENERATE(
      Weather{"clear", {.latency = 20ms}}, Weather{"a tenth lost", {.latency = 30ms, .loss = 0.1}},
      Weather{"three fifths lost", {.latency = 10ms, .loss = 0.6}},
      Weather{"overtaking", {.latency = 20ms, .jitter = 80ms}},
      Weather{"twins", {.latency = 20ms, .jitter = 10ms, .duplicate = 0.5}},
      Weather{"bursts",
              {.latency = 40ms, .burst_begin = 0.02, .burst_end = 0.1, .burst_loss = 0.9}},
      Weather{"the hardest", {.latency = 500ms, .jitter = 100ms, .loss = 0.25, .duplicate = 0.25}});
  const std::uint64_t seed = GENERATE(1U, 2U);
  CAPTURE(weather.name, seed);
  Random random(seed);
  ConnectionPair pair(seed, three_channels(), weather.link, weather.link);
  constexpr std::uint32_t kCount = 600;
  std::uint32_t sent_ordered = 0;
  std::uint32_t sent_unordered = 0;
  std::uint32_t next_ordered = 0;
  std::set<std::uint32_t> unordered;
  std::set<std::uint32_t> unreliable;
  const Time end = pair.now + 400s;
  while (pair.now < end && (next_ordered < kCount || unordered.size() < kCount)) {
    for (int i = 0; i < 3; ++i) {
      const auto size = static_cast<std::size_t>(random.below(300));
      if (sent_ordered < kCount &&
          pair.a->connection.send_message(kOrdered, message_of(sent_ordered, size)) ==
              SendStatus::queued) {
        ++sent_ordered;
      }
      if (sent_unordered < kCount &&
          pair.a->connection.send_message(kUnordered, message_of(sent_unordered, size)) ==
              SendStatus::queued) {
        static_cast<void>(
            pair.a->connection.send_message(kUnreliable, message_of(sent_unordered, 20)));
        ++sent_unordered;
      }
    }
    pair.step(16ms);
    Connection& b = pair.b->connection;
    for (; !b.message(kOrdered).empty(); b.pop_message(kOrdered)) {
      REQUIRE(number_in(b.message(kOrdered)) == next_ordered++);
    }
    for (; !b.message(kUnordered).empty(); b.pop_message(kUnordered)) {
      REQUIRE(unordered.insert(number_in(b.message(kUnordered))).second);
    }
    for (; !b.message(kUnreliable).empty(); b.pop_message(kUnreliable)) {
      REQUIRE(unreliable.insert(number_in(b.message(kUnreliable))).second);
    }
  }
  REQUIRE(next_ordered == kCount);
  REQUIRE(unordered.size() == kCount);
  REQUIRE(pair.b->verdicts[PacketVerdict::malformed] == 0);
  REQUIRE(pair.b->verdicts[PacketVerdict::unbelievable] == 0);
  REQUIRE(pair.a->connection.state() == ConnectionState::connected);
}

TEST_CASE(
    "Each payload is reported once, and each payload that is reported as delivered has arrived",
    "[net][transport][sys-24][sys-25]") {
  const double loss = GENERATE(0.0, 0.05, 0.3, 0.6);
  const Duration jitter = GENERATE(0ms, 60ms);
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(loss, jitter.count(), seed);
  const LinkOptions link{.latency = 40ms, .jitter = jitter, .loss = loss, .duplicate = 0.1};
  ConnectionPair pair(seed, three_channels(), link, link);
  std::map<std::uint64_t, bool> reports;
  std::set<std::uint64_t> arrived;
  constexpr std::uint64_t kCount = 2000;
  for (std::uint64_t tag = 0; tag < kCount; ++tag) {
    const auto payload = message_of(static_cast<std::uint32_t>(tag), 100);
    while (pair.a->connection.send_payload(payload, tag) != SendStatus::queued) pair.step(16ms);
    pair.step(16ms);
    for (Connection& b = pair.b->connection; !b.payload().bytes.empty(); b.pop_payload()) {
      REQUIRE(arrived.insert(number_in(b.payload().bytes)).second);
    }
    for (const DeliveryReport& report : pair.a->connection.delivery_reports()) {
      REQUIRE(reports.emplace(report.tag, report.delivered).second);
    }
    pair.a->connection.clear_delivery_reports();
  }
  pair.run(20s, 16ms);
  for (Connection& b = pair.b->connection; !b.payload().bytes.empty(); b.pop_payload()) {
    arrived.insert(number_in(b.payload().bytes));
  }
  for (const DeliveryReport& report : pair.a->connection.delivery_reports()) {
    REQUIRE(reports.emplace(report.tag, report.delivered).second);
  }
  REQUIRE(reports.size() == kCount);
  for (const auto& [tag, delivered] : reports) {
    CAPTURE(tag);
    if (delivered) REQUIRE(arrived.contains(tag));
  }
  if (loss == 0) REQUIRE(arrived.size() == kCount);
}

TEST_CASE("A block arrives complete and does not delay messages", "[net][transport][sys-30]") {
  const double loss = GENERATE(0.0, 0.05, 0.25);
  CAPTURE(loss);
  const LinkOptions link{
      .latency = 25ms, .loss = loss, .bytes_per_second = 250'000, .queue_bytes = 100'000};
  ConnectionPair pair(7, three_channels(), link, {.latency = 25ms, .loss = loss});
  std::vector<std::byte> block(600'001);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::byte>(i * i >> 3U);
  std::uint16_t id = 0;
  REQUIRE(pair.a->connection.send_block(block, id) == SendStatus::queued);
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
  Duration slowest{};
  std::map<std::uint32_t, Time> sent_at;
  while (pair.b->connection.block().empty() && pair.now < Time(60s)) {
    if (pair.a->connection.send_message(kUnordered, message_of(sent, 50)) == SendStatus::queued) {
      sent_at[sent++] = pair.now;
    }
    pair.step(16ms);
    Connection& b = pair.b->connection;
    for (; !b.message(kUnordered).empty(); b.pop_message(kUnordered)) {
      slowest = std::max(slowest, pair.now - sent_at[number_in(b.message(kUnordered))]);
      ++received;
    }
  }
  const auto arrived = pair.b->connection.block();
  REQUIRE(std::equal(arrived.begin(), arrived.end(), block.begin(), block.end()));
  pair.b->connection.pop_block();
  REQUIRE(pair.b->connection.block().empty());
  pair.run(1s, 16ms);
  REQUIRE(pair.a->connection.finished_blocks().size() == 1);
  REQUIRE(pair.a->connection.finished_blocks()[0].id == id);
  REQUIRE_FALSE(pair.a->connection.finished_blocks()[0].refusal.has_value());
  REQUIRE(received > 100);
  if (loss == 0) REQUIRE(slowest < 250ms);
}

TEST_CASE("A block that is too large is refused, and its sender gets the reason",
          "[net][transport]") {
  ConnectionOptions options = three_channels();
  options.block_bytes_max = 1000;
  const LinkOptions link{.latency = 20ms, .loss = 0.3};
  ConnectionPair pair(3, options, link, link);
  const std::vector<std::byte> block(50'000);
  std::uint16_t id = 0;
  REQUIRE(pair.a->connection.send_block(block, id) == SendStatus::queued);
  pair.run(10s, 16ms);
  REQUIRE(pair.b->connection.block().empty());
  REQUIRE(pair.a->connection.finished_blocks().size() == 1);
  REQUIRE(pair.a->connection.finished_blocks()[0].refusal == BlockRefusal::too_large);
}

TEST_CASE("A game that does not read stops the sender and loses nothing", "[net][transport]") {
  ConnectionPair pair(5, three_channels(), {.latency = 10ms}, {.latency = 10ms});
  std::uint32_t sent = 0;
  const auto send_all = [&] {
    while (pair.a->connection.send_message(kOrdered, message_of(sent, 40)) == SendStatus::queued) {
      ++sent;
    }
  };
  for (int i = 0; i < 200; ++i) {
    send_all();
    pair.step(16ms);
  }
  REQUIRE(pair.b->connection.counters().messages_in == kMessageWindow);
  REQUIRE(pair.b->connection.counters().no_room_in == 0);
  std::uint32_t next = 0;
  for (int i = 0; i < 600; ++i) {
    Connection& b = pair.b->connection;
    for (; !b.message(kOrdered).empty(); b.pop_message(kOrdered)) {
      REQUIRE(number_in(b.message(kOrdered)) == next++);
    }
    pair.step(16ms);
  }
  REQUIRE(next == sent);
}

TEST_CASE("A closed connection sends the reason to the other end", "[net][transport]") {
  ConnectionPair pair(5, three_channels(), {.latency = 10ms}, {.latency = 10ms});
  pair.run(200ms, 16ms);
  pair.a->connection.close(CloseReason::kicked, "too loud", pair.now);
  pair.run(200ms, 16ms);
  REQUIRE(pair.b->connection.state() == ConnectionState::closed);
  REQUIRE(pair.b->connection.end()->reason == CloseReason::kicked);
  REQUIRE(pair.b->connection.end()->by_peer);
  REQUIRE(pair.b->connection.end()->text == "too loud");
  REQUIRE(pair.b->connection.send_message(0, message_of(1, 4)) == SendStatus::closed);
}

TEST_CASE("Each payload is reported once, also when the connection ends", "[net][transport]") {
  const bool peer_closes = GENERATE(false, true);
  CAPTURE(peer_closes);
  ConnectionPair pair(1, three_channels(), {.latency = 50ms}, {.latency = 50ms});
  pair.run(1s, 16ms);
  Connection& connection = pair.a->connection;
  const auto bytes = message_of(1, 200);
  std::map<std::uint64_t, int> times_reported;
  std::uint64_t tag = 0;
  const auto drain = [&] {
    for (const DeliveryReport& report : connection.delivery_reports()) ++times_reported[report.tag];
    connection.clear_delivery_reports();
    for (Connection& b = pair.b->connection; !b.payload().bytes.empty();) b.pop_payload();
  };
  for (int i = 0; i < 30; ++i) {
    REQUIRE(connection.send_payload(bytes, ++tag) == SendStatus::queued);
    pair.step(16ms);
    drain();
  }
  // Some payloads are in flight, and one waits.
  REQUIRE(connection.send_payload(bytes, ++tag) == SendStatus::queued);
  REQUIRE(times_reported.size() < tag - 3);
  (peer_closes ? pair.b->connection : connection).close(CloseReason::left, "bye", pair.now);
  for (int i = 0; i < 20; ++i) {
    pair.step(16ms);
    drain();
  }
  REQUIRE(connection.state() == ConnectionState::closed);
  REQUIRE(times_reported.size() == tag);
  for (const auto& [which, times] : times_reported) {
    CAPTURE(which);
    REQUIRE(times == 1);
  }
  const ConnectionCounters counters = connection.counters();
  REQUIRE(counters.payloads_lost >= counters.lost_at_close);
  REQUIRE(counters.lost_at_close > 0);
  const std::uint64_t unknown = counters.packets_out - counters.delivered - counters.lost_out;
  if (peer_closes) REQUIRE(unknown == 0);
  if (!peer_closes) REQUIRE(unknown >= 3);  // The packets with the close are never acknowledged.
}

TEST_CASE("Unreliable messages are counted when the connection ends before they are sent",
          "[net][transport][sys-36]") {
  ConnectionPair pair(1, three_channels(), {.latency = 5s}, {.latency = 5s});
  Connection& connection = pair.a->connection;
  for (std::uint8_t i = 0; i < 5; ++i) {
    REQUIRE(connection.send_message(2, message_of(i, 100)) == SendStatus::queued);
  }
  pair.step(16ms);
  connection.close(CloseReason::left, "bye", pair.now);
  REQUIRE(connection.counters().messages_out == 5);
  REQUIRE(connection.counters().lost_at_close == 5);
  REQUIRE(connection.counters().lost_out == connection.counters().packets_out);
}

TEST_CASE("Lost data is counted by its kind", "[net][transport][sys-36]") {
  ConnectionPair pair(2, three_channels(), {.latency = 20ms, .loss = 0.3}, {.latency = 20ms});
  Connection& sender = pair.a->connection;
  Connection& receiver = pair.b->connection;
  std::uint64_t read = 0;
  for (int i = 0; i < 600; ++i) {
    if (i < 500) {
      REQUIRE(sender.send_message(kUnreliable, message_of(1, 20)) == SendStatus::queued);
      REQUIRE(sender.send_message(kOrdered, message_of(1, 20)) == SendStatus::queued);
    }
    pair.step(16ms);
    for (; !receiver.message(kUnreliable).empty(); receiver.pop_message(kUnreliable)) ++read;
    for (; !receiver.message(kOrdered).empty(); receiver.pop_message(kOrdered)) {
    }
  }
  const ConnectionCounters counters = sender.counters();
  REQUIRE(read < 500);
  REQUIRE(counters.messages_lost == 500 - read);
  REQUIRE(counters.messages_reliable_out == 500 + counters.messages_resent);
  REQUIRE(counters.messages_out == 500 + counters.messages_reliable_out);
}

TEST_CASE("The maximum payload leaves space for the items that every packet contains",
          "[net][transport]") {
  ConnectionOptions options{
      .channels = {{.delivery = Delivery::unreliable, .queue_bytes = 256 * 1024}}};
  options.rate.rate_min = 2e6;
  const LinkOptions link{.latency = 100ms, .loss = 0.1};
  ConnectionPair pair(7, options, link, link);
  Connection& sender = pair.a->connection;
  Connection& receiver = pair.b->connection;
  const auto message = message_of(1, 900);
  std::uint64_t packets_max = 0;
  for (int i = 0; i < 220; ++i) {
    // Many packets arrive with gaps, so that the acknowledgements are as long as possible.
    for (int more = 0; more < 40; ++more) {
      if (receiver.send_message(0, message) != SendStatus::queued) break;
    }
    // Packets contain the number of the new map until the peer has received it.
    if (i == 200) sender.begin_map();
    if (sender.budget(pair.now) > 0) {
      const auto largest = message_of(1, sender.payload_bytes_max());
      REQUIRE(sender.send_payload(largest, 0) == SendStatus::queued);
    }
    const std::uint64_t before = sender.counters().packets_out;
    pair.step(16ms);
    packets_max = std::max(packets_max, sender.counters().packets_out - before);
    sender.clear_delivery_reports();
    for (; !sender.message(0).empty(); sender.pop_message(0)) {
    }
    for (; !receiver.payload().bytes.empty(); receiver.pop_payload()) {
    }
  }
  REQUIRE(packets_max < 16);
}

TEST_CASE("Two ends that close at the same time stop sending", "[net][transport]") {
  ConnectionPair pair(1, three_channels(), {.latency = 50ms}, {.latency = 50ms});
  pair.run(1s, 16ms);
  pair.a->connection.close(CloseReason::left, "bye", pair.now);
  pair.b->connection.close(CloseReason::left, "bye", pair.now);
  pair.run(1s, 16ms);
  const auto sent = [&pair] {
    return pair.network.counters(pair.there_link).datagrams +
           pair.network.counters(pair.back_link).datagrams;
  };
  const std::uint64_t before = sent();
  pair.run(5s, 16ms);
  REQUIRE(sent() == before);
}

TEST_CASE("A silent peer is interrupted, resumes, and is closed after the timeout",
          "[net][transport][sys-22]") {
  ConnectionPair pair(5, three_channels(), {.latency = 10ms}, {.latency = 10ms});
  pair.run(1s, 16ms);
  REQUIRE(pair.a->connection.send_message(kOrdered, message_of(1, 10)) == SendStatus::queued);
  pair.network.link(pair.there_link).is_down = true;
  pair.network.link(pair.back_link).is_down = true;
  pair.run(6s, 16ms);
  REQUIRE(pair.a->connection.state() == ConnectionState::interrupted);
  pair.network.link(pair.there_link).is_down = false;
  pair.network.link(pair.back_link).is_down = false;
  pair.run(3s, 16ms);
  REQUIRE(pair.a->connection.state() == ConnectionState::connected);
  REQUIRE(number_in(pair.b->connection.message(kOrdered)) == 1);
  pair.network.link(pair.back_link).is_down = true;
  pair.run(40s, 16ms);
  REQUIRE(pair.a->connection.state() == ConnectionState::closed);
  REQUIRE(pair.a->connection.end()->reason == CloseReason::timed_out);
}

TEST_CASE("Round trip, clock and path size are found", "[net][transport][sys-28]") {
  const LinkOptions there{.latency = 30ms, .jitter = 4ms, .mtu = 1410};
  const LinkOptions back{.latency = 30ms, .jitter = 4ms};
  ConnectionPair pair(5, three_channels(), there, back);
  pair.run(20s, 5ms);
  const RoundTrip& trip = pair.a->connection.round_trip();
  REQUIRE(trip.minimum() >= 60ms);
  REQUIRE(trip.minimum() <= 70ms);  // Each end reads every 5 ms.
  REQUIRE(trip.smoothed() > 58ms);
  REQUIRE(trip.smoothed() < 80ms);
  // Both ends of this test use one clock, whose sent bits wrap.
  const auto there_now = pair.a->connection.peer_clock().at(pair.now);
  REQUIRE(there_now.has_value());
  const auto error = static_cast<std::int16_t>(
      static_cast<std::uint16_t>(wire_time(*there_now) - wire_time(pair.now)));
  REQUIRE(std::abs(error) < 60);
  REQUIRE(pair.a->connection.datagram_bytes() == 1400);
  pair.network.link(pair.there_link).mtu = 1300;
  const std::vector<std::byte> block(200'000);
  std::uint16_t id = 0;
  REQUIRE(pair.a->connection.send_block(block, id) == SendStatus::queued);
  pair.run(10s, 5ms);
  REQUIRE(pair.b->connection.block().size() == block.size());
  REQUIRE(pair.a->connection.datagram_bytes() <= 1300);
}

}  // namespace
}  // namespace muster
