// Changes of the map: no data of the old map reaches the new map on any network, and each map keeps
// all guarantees.
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "net/transport/map_turns.h"
#include "registry/base/seed.h"
#include "tests/support/connection_pair.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

ConnectionOptions channels() {
  return {.channels = {{.delivery = Delivery::reliable_ordered},
                       {.delivery = Delivery::reliable_unordered},
                       {.delivery = Delivery::unreliable}}};
}

TEST_CASE("Map numbers wrap past 65535, and only the leader begins maps",
          "[net][transport][sys-34]") {
  MapTurns leader(true);
  MapTurns follower(false);
  for (const std::uint16_t map : {std::uint16_t{32'000}, std::uint16_t{64'000}}) {
    leader.go_to(map, 5);
    follower.go_to(map, 5);
  }
  leader.go_to(65'535, 9);
  REQUIRE(follower.classify(9, std::uint16_t{65'535}) == PacketMap::next);
  follower.go_to(65'535, 7);
  leader.go_to(0, 12);
  REQUIRE(follower.classify(12, std::uint16_t{0}) == PacketMap::next);
  REQUIRE(follower.classify(11, std::uint16_t{65'535}) == PacketMap::present);
  REQUIRE(follower.classify(12, std::uint16_t{65'534}) == PacketMap::past);
  REQUIRE(leader.classify(7, std::uint16_t{65'535}) == PacketMap::past);
  REQUIRE(leader.classify(7, std::uint16_t{1}) == PacketMap::impossible);
}

TEST_CASE("A packet without a map is classified by the first packet that names a map",
          "[net][transport][sys-34]") {
  MapTurns turns(false);
  REQUIRE(turns.classify(1, std::nullopt) == PacketMap::present);
  turns.go_to(1, 4);
  REQUIRE(turns.classify(10, std::nullopt) == PacketMap::past);
  turns.received(10, std::uint16_t{1});
  REQUIRE(turns.classify(9, std::nullopt) == PacketMap::past);
  REQUIRE(turns.classify(9, std::uint16_t{1}) == PacketMap::present);
  REQUIRE(turns.classify(11, std::nullopt) == PacketMap::present);
  turns.received(8, std::uint16_t{1});
  REQUIRE(turns.classify(9, std::nullopt) == PacketMap::present);
  REQUIRE(turns.classify(7, std::nullopt) == PacketMap::past);
}

TEST_CASE("Every packet names its map until one of them is confirmed", "[net][transport][sys-34]") {
  MapTurns turns(true);
  REQUIRE_FALSE(turns.must_send());
  turns.go_to(1, 20);
  REQUIRE(turns.is_urgent());
  turns.sent();
  REQUIRE_FALSE(turns.is_urgent());
  turns.settled(19, true);
  REQUIRE(turns.must_send());
  turns.settled(20, false);
  REQUIRE(turns.is_urgent());
  turns.settled(21, true);
  REQUIRE_FALSE(turns.must_send());
  REQUIRE_FALSE(turns.is_urgent());
}

TEST_CASE("A new map drops all waiting data at both ends", "[net][transport][sys-34]") {
  ConnectionPair pair(1, channels(), {.latency = 20ms}, {.latency = 20ms});
  Connection& a = pair.a->connection;
  Connection& b = pair.b->connection;
  const NetBytes block = pattern(3, 200'000);
  std::uint16_t id = 0;
  for (Connection* each : {&a, &b}) {
    for (std::uint32_t i = 0; i < 10; ++i) {
      REQUIRE(each->send_message(0, pattern(i, 100)) == SendStatus::queued);
    }
    REQUIRE(each->send_payload(pattern(1, 100), 11) == SendStatus::queued);
  }
  pair.run(100ms, 10ms);
  REQUIRE_FALSE(b.message(0).empty());
  REQUIRE_FALSE(a.message(0).empty());
  a.clear_delivery_reports();
  // A block is in flight in each direction, and messages and a payload wait.
  REQUIRE(a.send_block(block, id) == SendStatus::queued);
  REQUIRE(b.send_block(block, id) == SendStatus::queued);
  pair.run(60ms, 10ms);
  REQUIRE(a.send_message(1, pattern(50, 100)) == SendStatus::queued);
  REQUIRE(a.send_payload(pattern(2, 100), 12) == SendStatus::queued);
  REQUIRE(b.send_message(1, pattern(51, 100)) == SendStatus::queued);

  a.begin_map();
  REQUIRE(a.map() == 1);
  REQUIRE(a.message(0).empty());
  REQUIRE(a.payload().bytes.empty());
  REQUIRE(a.counters().lost_at_map == 1);
  REQUIRE(a.counters().unread_at_map == 11);
  REQUIRE(a.finished_blocks().size() == 1);
  REQUIRE(a.finished_blocks()[0].refusal == BlockRefusal::map_over);
  REQUIRE(a.delivery_reports().size() == 1);
  REQUIRE(a.delivery_reports()[0].tag == 12);
  REQUIRE_FALSE(a.delivery_reports()[0].delivered);
  REQUIRE(a.send_message(0, pattern(60, 70)) == SendStatus::queued);

  pair.run(200ms, 10ms);
  REQUIRE(b.map() == 1);
  REQUIRE(b.finished_blocks().size() == 1);
  REQUIRE(b.finished_blocks()[0].refusal == BlockRefusal::map_over);
  REQUIRE(b.counters().unread_at_map == 11);
  REQUIRE(b.payload().bytes.empty());
  REQUIRE(copy_of(b.message(0)) == pattern(60, 70));
  b.pop_message(0);
  REQUIRE(b.message(0).empty());
  REQUIRE(a.counters().past_map_in > 0);

  // Blocks and messages of the new map pass in both directions.
  a.clear_finished_blocks();
  b.clear_finished_blocks();
  REQUIRE(b.send_block(block, id) == SendStatus::queued);
  REQUIRE(b.send_message(0, pattern(61, 70)) == SendStatus::queued);
  pair.run(5s, 10ms);
  REQUIRE(copy_of(a.message(0)) == pattern(61, 70));
  REQUIRE(copy_of(a.block()) == block);
  REQUIRE(b.finished_blocks().size() == 1);
  REQUIRE_FALSE(b.finished_blocks()[0].refusal.has_value());
}

/// Returns bytes that contain a map and a number.
NetBytes labelled(std::uint16_t map, std::uint32_t number, std::size_t size) {
  NetBytes bytes = pattern(number * 65'536 + map, size + 6);
  for (std::size_t i = 0; i < 2; ++i) bytes[i] = static_cast<std::byte>(map >> (8 * i));
  for (std::size_t i = 0; i < 4; ++i) bytes[2 + i] = static_cast<std::byte>(number >> (8 * i));
  return bytes;
}

/// The game of one end, which checks that it reads only data of the current map.
struct Side {
  Connection* connection = nullptr;
  std::uint16_t map = 0;
  std::array<std::uint32_t, 3>
      sent{};  ///< The number of messages that were sent in the current map, for each channel.
  std::uint32_t ordered_read = 0;
  std::set<std::uint32_t> unordered_read{};
  std::uint64_t payloads = 0;
  std::map<std::uint64_t, int> reports{};

  void enter(std::uint16_t next) {
    map = next;
    sent = {};
    ordered_read = 0;
    unordered_read.clear();
  }

  void send(Random& random) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const NetBytes bytes = labelled(map, sent[channel], random.below(300));
      if (connection->send_message(channel, bytes) == SendStatus::queued) ++sent[channel];
    }
    const NetBytes bytes = labelled(map, 7, random.below(200));
    if (connection->send_payload(bytes, payloads + 1) == SendStatus::queued) ++payloads;
  }

  /// Returns the number in the bytes. Requires that the bytes belong to this map.
  std::uint32_t check(std::span<const std::byte> bytes) const {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      number |= std::to_integer<std::uint32_t>(bytes[2 + i]) << (8 * i);
    }
    if (!std::ranges::equal(bytes, labelled(map, number, bytes.size() - 6))) FAIL("another map");
    return number;
  }

  void read() {
    if (connection->map() != map) enter(connection->map());
    for (; !connection->message(0).empty(); connection->pop_message(0)) {
      if (check(connection->message(0)) != ordered_read++) FAIL("out of order");
    }
    for (; !connection->message(1).empty(); connection->pop_message(1)) {
      if (!unordered_read.insert(check(connection->message(1))).second) FAIL("read twice");
    }
    for (; !connection->message(2).empty(); connection->pop_message(2)) {
      static_cast<void>(check(connection->message(2)));
    }
    for (; !connection->payload().bytes.empty(); connection->pop_payload()) {
      static_cast<void>(check(connection->payload().bytes));
    }
    for (const DeliveryReport& report : connection->delivery_reports()) ++reports[report.tag];
    connection->clear_delivery_reports();
  }
};

TEST_CASE("The guarantees of channels hold within each map over a bad network",
          "[net][transport][sys-34]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U, 4U);
  const double loss = GENERATE(0.0, 0.1, 0.4);
  CAPTURE(seed, loss);
  Random random(seed);
  const LinkOptions link{.latency = 30ms, .jitter = 25ms, .loss = loss, .duplicate = 0.1};
  ConnectionPair pair(seed, channels(), link, link);
  Side a{.connection = &pair.a->connection};
  Side b{.connection = &pair.b->connection};
  for (int tick = 0; tick < 1500; ++tick) {
    a.read();
    b.read();
    a.send(random);
    b.send(random);
    if (random.below(40) == 0) {
      a.connection->begin_map();
      a.enter(a.connection->map());
    }
    pair.step(16ms);
  }
  for (int tick = 0; tick < 1500; ++tick, pair.step(16ms)) {
    a.read();
    b.read();
  }
  REQUIRE(a.map > 10);
  REQUIRE(a.map == b.map);
  REQUIRE(a.connection->state() == ConnectionState::connected);
  REQUIRE(b.connection->state() == ConnectionState::connected);
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    REQUIRE(to->ordered_read == from->sent[0]);
    REQUIRE(to->unordered_read.size() == from->sent[1]);
    REQUIRE(from->reports.size() == from->payloads);
    REQUIRE(
        std::ranges::all_of(from->reports, [](const auto& report) { return report.second == 1; }));
  }
  REQUIRE(a.connection->counters().past_map_in > 0);
}

TEST_CASE("A client that begins a map breaks the protocol", "[net][transport][sys-34]") {
  ConnectionPair pair(1, channels(), {}, {});
  ConnectionOptions rogue = channels();
  rogue.overhead_bytes = 2;
  rogue.leads_maps = true;
  Connection rogue_client(rogue, pair.now);
  rogue_client.begin_map();
  std::array<std::byte, kDatagramBytesMax> memory{};
  const auto body = rogue_client.write_packet(pair.now, memory);
  REQUIRE(pair.a->connection.read_packet(pair.now, 1, body.size() + 2, body) ==
          PacketVerdict::unbelievable);
  REQUIRE(pair.a->connection.map() == 0);
}

}  // namespace
}  // namespace muster
