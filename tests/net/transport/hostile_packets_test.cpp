// Invalid and unusual packets from a peer, and unusual behaviour of games.
#include <array>
#include <vector>

#include <catch2/catch.hpp>

#include "net/transport/connection.h"
#include "registry/base/seed.h"
#include "tests/support/connection_pair.h"
#include "tests/support/damage.h"
#include "tests/support/net_bytes.h"
#include "tests/support/packet_draft.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

ConnectionOptions options() {
  return {.channels = {{.delivery = Delivery::reliable_ordered},
                       {.delivery = Delivery::reliable_unordered},
                       {.delivery = Delivery::unreliable}}};
}

/// A connection with a malicious peer, which the test simulates.
struct Victim {
  Connection connection{options(), Time(1s)};
  Time now{1s};
  std::uint32_t sequence = 0;

  PacketVerdict give(const PacketDraft& draft, std::size_t datagram_bytes = 0) {
    return give(draft.body(), datagram_bytes);
  }
  PacketVerdict give(const NetBytes& body, std::size_t datagram_bytes = 0) {
    ++sequence;
    REQUIRE(connection.classify(sequence) == Reception::fresh);
    return connection.read_packet(now, sequence,
                                  datagram_bytes != 0 ? datagram_bytes : body.size() + 23, body);
  }
};

TEST_CASE("A malformed packet is counted and not received", "[net][transport][sys-23]") {
  const auto [why, sections, bytes] = GENERATE(table<std::string, unsigned, NetBytes>({
      {"a byte left over", 0, bytes_of({0})},
      {"control without items", 1, bytes_of({0})},
      {"17 items", 1, bytes_of({17, 2, 0, 0, 0, 0, 0, 0, 0, 0})},
      {"a count and nothing", 1, bytes_of({1})},
      {"item 0", 1, bytes_of({1, 0})},
      {"half a map", 1, bytes_of({1, 7})},
      {"item 9", 1, bytes_of({1, 9, 0, 0})},
      {"a limit of an undeclared channel", 1, bytes_of({1, 8, 3, 1, 1})},
      {"a limit of an unreliable channel", 1, bytes_of({1, 8, 2, 1, 1})},
      {"two limits of a channel", 1, bytes_of({2, 8, 0, 1, 1, 8, 0, 2, 1})},
      {"half a limit", 1, bytes_of({1, 8, 0, 1})},
      {"a challenge of 7 bytes", 1, bytes_of({1, 2, 0, 0, 0, 0, 0, 0, 0})},
      {"close is not the last", 1, bytes_of({2, 5, 1, 0, 1})},
      {"close without a reason", 1, bytes_of({1, 5, 0, 0})},
      {"close for an unknown reason", 1, bytes_of({1, 5, 10, 0})},
      {"a text that ends early", 1, bytes_of({1, 5, 1, 2, 65})},
      {"a block refused for no reason", 1, bytes_of({1, 6, 1, 0, 0})},
      {"a block refused for reason 4", 1, bytes_of({1, 6, 1, 0, 4})},
      {"two probes", 1, bytes_of({2, 4, 0xB1, 4, 4, 0xB1, 4})},
      {"an empty payload", 2, bytes_of({0, 0})},
      {"a payload that ends early", 2, bytes_of({2, 0, 1})},
      {"no messages", 4, bytes_of({0})},
      {"65 messages", 4, bytes_of({65, 2, 1, 9})},
      {"a reserved bit of a message", 4, bytes_of({1, 2 + 32, 1, 9})},
      {"a channel that does not exist", 4, bytes_of({1, 3, 1, 9})},
      {"ordered in an unreliable channel", 4, bytes_of({1, 2 + 16, 1, 9})},
      {"reliable in an unreliable channel", 4, bytes_of({1, 2 + 8, 1, 0, 1, 9})},
      {"unordered in an ordered channel", 4, bytes_of({1, 0 + 8, 1, 0, 1, 9})},
      {"unreliable in an ordered channel", 4, bytes_of({1, 0, 1, 9})},
      {"message 0", 4, bytes_of({1, 24, 0, 0, 1, 9})},
      {"a message before the first", 4, bytes_of({1, 24, 0xFF, 0xFF, 1, 9})},
      {"an empty message", 4, bytes_of({1, 2, 0})},
      {"a length of 1 in two bytes", 4, bytes_of({1, 2, 0x81, 0, 9})},
      {"a length beyond the packet", 4, bytes_of({1, 2, 2, 9})},
      {"a message of 1025", 4, [] {
         NetBytes large = bytes_of({1, 2, 0x81, 8});
         large.resize(large.size() + 1025);
         return large;
       }()},
      {"no fragments", 8, bytes_of({0})},
      {"five fragments", 8, bytes_of({5, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9})},
      {"a block of nothing", 8, bytes_of({1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0})},
      {"a fragment without chunks", 8, bytes_of({1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0})},
  }));
  CAPTURE(why);
  Victim victim;
  PacketDraft draft;
  draft.header.sections = static_cast<std::uint8_t>(sections);
  draft.add(static_cast<SectionBit>(sections), bytes);
  REQUIRE(victim.give(draft) == PacketVerdict::malformed);
  REQUIRE(victim.connection.counters().malformed_in == 1);
  REQUIRE(victim.connection.counters().packets_in == 0);
  REQUIRE(victim.connection.highest_received() == 0);
}

TEST_CASE("An acknowledgement of nothing has one encoding", "[net][transport][sys-24]") {
  Victim victim;
  PacketDraft draft;
  SECTION("the hold time is not zero") { draft.header.hold = 1; }
  SECTION("the mask has two words") { draft.header.mask = {.words = {~0U, ~0U}, .word_count = 2}; }
  REQUIRE(victim.give(draft) == PacketVerdict::malformed);
}

TEST_CASE("A probe has the size that it states, and its other bytes are zeros",
          "[net][transport][sys-22]") {
  Victim victim;
  const auto probe = [](unsigned stated, std::size_t body_bytes) {
    PacketDraft draft;
    draft.control({1, 4, stated & 0xFFU, stated >> 8U});
    draft.add(kControlSection, NetBytes(body_bytes - draft.body().size()));
    return draft;
  };
  REQUIRE(victim.give(probe(1300, 1277), 1300) == PacketVerdict::received);
  REQUIRE(victim.give(probe(1301, 1277), 1300) == PacketVerdict::malformed);
  REQUIRE(victim.give(probe(1200, 1177), 1200) == PacketVerdict::malformed);
  NetBytes body = probe(1300, 1277).body();
  body.back() = std::byte{1};
  REQUIRE(victim.give(body, 1300) == PacketVerdict::malformed);
}

TEST_CASE("A packet is received only if all its blocks fit", "[net][transport][sys-30]") {
  Victim victim;
  for (std::uint16_t id = 1; id <= 3; ++id) {
    REQUIRE(victim.give(PacketDraft().fragments(1).fragment(id, 10, 0)) == PacketVerdict::received);
  }
  // Three complete blocks are unread, so only one slot is free.
  REQUIRE(victim.give(PacketDraft().fragments(2).fragment(4, 10, 0).fragment(5, 10, 0)) ==
          PacketVerdict::no_room);
  REQUIRE(victim.give(PacketDraft().fragments(1).fragment(4, 10, 0)) == PacketVerdict::received);
  for (int i = 0; i < 4; ++i) {
    REQUIRE(victim.connection.block().size() == 10);
    victim.connection.pop_block();
  }
  REQUIRE(victim.give(PacketDraft().fragments(1).fragment(5, 10, 0)) == PacketVerdict::received);
}

TEST_CASE("A receiver refuses at most as many blocks as it can report",
          "[net][transport][sys-30]") {
  Victim victim;
  constexpr std::uint32_t kTooLarge = 17 * 1024 * 1024;
  for (const std::uint16_t first : {std::uint16_t{1}, std::uint16_t{5}}) {
    PacketDraft four;
    four.fragments(4);
    for (std::uint16_t i = 0; i < 4; ++i) four.fragment(first + i, kTooLarge, 0);
    REQUIRE(victim.give(four) == PacketVerdict::received);
  }
  REQUIRE(victim.give(PacketDraft().fragments(1).fragment(9, kTooLarge, 0)) ==
          PacketVerdict::no_room);
  // A refusal of this block could not be reported.
  REQUIRE(victim.give(PacketDraft().fragments(1).fragment(9, 1000, 0)) == PacketVerdict::no_room);
  REQUIRE(victim.connection.counters().no_room_in == 2);
}

TEST_CASE("A block that begins in the last packet of another block is refused, not lost",
          "[net][transport][sys-30]") {
  Victim victim;
  PacketDraft four;
  four.fragments(4);
  for (std::uint16_t id = 1; id <= 4; ++id) four.fragment(id, 300, 0);
  REQUIRE(victim.give(four) == PacketVerdict::received);
  REQUIRE(victim.give(PacketDraft().fragments(2).fragment(1, 300, 1).fragment(5, 10, 0)) ==
          PacketVerdict::received);
  REQUIRE(victim.connection.block().size() == 300);
  victim.connection.pop_block();
  REQUIRE(victim.connection.block().empty());
  // The refusal is sent at once, and the block is finished.
  std::array<std::byte, kDatagramBytesMax> memory{};
  const auto body = copy_of(victim.connection.write_packet(Time(1s), memory));
  const NetBytes refusal = bytes_of({6, 5, 0, 2});
  REQUIRE(std::search(body.begin(), body.end(), refusal.begin(), refusal.end()) != body.end());
  REQUIRE(victim.give(PacketDraft().fragments(1).fragment(5, 10, 0)) == PacketVerdict::received);
  REQUIRE(victim.connection.block().empty());
}

TEST_CASE("Large blocks that a peer begins and leaves use little memory for a limited time",
          "[net][transport][sys-30][sys-36]") {
  constexpr std::uint32_t kLargest = 16 * 1024 * 1024;
  Victim victim;
  const auto begin = [&](std::uint16_t id) {
    return victim.give(PacketDraft().fragments(1).fragment(id, kLargest, 0));
  };
  for (const std::uint16_t id : {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{3}}) {
    REQUIRE(begin(id) == PacketVerdict::received);
  }
  NetBytes memory(kDatagramBytesMax);
  const auto contains = [&](const NetBytes& refusal) {
    const auto body = victim.connection.write_packet(victim.now, memory);
    return std::search(body.begin(), body.end(), refusal.begin(), refusal.end()) != body.end();
  };
  REQUIRE(victim.connection.counters().blocks_refused_in == 1);
  REQUIRE(contains(bytes_of({6, 3, 0, 3})));
  victim.now += kBlockStallMax - 1ms;
  REQUIRE(victim.give(PacketDraft().control({1, 1})) == PacketVerdict::received);
  REQUIRE(victim.connection.counters().blocks_stalled == 0);
  victim.now += 1ms;
  REQUIRE(victim.give(PacketDraft().control({1, 1})) == PacketVerdict::received);
  REQUIRE(victim.connection.counters().blocks_stalled == 2);
  REQUIRE(victim.connection.counters().blocks_refused_in == 3);
  REQUIRE(victim.connection.wants_to_send(victim.now));
  REQUIRE(contains(bytes_of({6, 1, 0, 3})));
  REQUIRE(contains(bytes_of({6, 2, 0, 3})));
  REQUIRE(begin(4) == PacketVerdict::received);
  REQUIRE(victim.connection.counters().blocks_refused_in == 3);
}

TEST_CASE("Two of four maximum-size blocks are delivered, and the others are reported as refused",
          "[net][transport][sys-30]") {
  ConnectionOptions small = options();
  small.block_bytes_max = 50'000;
  ConnectionPair pair(3, small, {.latency = 10ms}, {.latency = 10ms});
  Connection& a = pair.a->connection;
  Connection& b = pair.b->connection;
  const NetBytes block = pattern(1, 50'000);
  std::uint16_t id = 0;
  for (int i = 0; i < 4; ++i) REQUIRE(a.send_block(block, id) == SendStatus::queued);
  pair.run(10s, 16ms);
  std::size_t came = 0;
  for (; !b.block().empty(); b.pop_block(), ++came) REQUIRE(copy_of(b.block()) == block);
  REQUIRE(came == 2);
  REQUIRE(a.finished_blocks().size() == 4);
  REQUIRE(std::ranges::count(a.finished_blocks(), BlockRefusal::no_memory, &SentBlock::refusal) ==
          2);
  REQUIRE(a.counters().blocks_refused == 2);
  REQUIRE(b.counters().blocks_refused_in == 2);
}

TEST_CASE("A packet that contradicts itself about a block is refused", "[net][transport][sys-30]") {
  Victim victim;
  REQUIRE(victim.give(PacketDraft().fragments(2).fragment(1, 1000, 0).fragment(1, 5000, 8)) ==
          PacketVerdict::malformed);
  REQUIRE(victim.give(PacketDraft().fragments(2).fragment(1, 1000, 0).fragment(1, 1000, 3)) ==
          PacketVerdict::received);
}

TEST_CASE("A message that a packet contains twice is stored once", "[net][transport][sys-35]") {
  Victim victim;
  REQUIRE(victim.give(PacketDraft().messages({3, 25 - 16, 1, 0, 1, 7, 25 - 16, 1, 0, 1, 7, 24, 1, 0,
                                              1, 8})) == PacketVerdict::received);
  REQUIRE(copy_of(victim.connection.message(1)) == bytes_of({7}));
  victim.connection.pop_message(1);
  REQUIRE(victim.connection.message(1).empty());
  REQUIRE(copy_of(victim.connection.message(0)) == bytes_of({8}));
  REQUIRE(victim.connection.counters().messages_duplicate == 1);
}

/// Returns a valid packet with all sections.
NetBytes honest_body() {
  Connection a(options(), Time(1s));
  REQUIRE(a.send_message(0, pattern(1, 150)) == SendStatus::queued);
  REQUIRE(a.send_message(2, pattern(2, 9)) == SendStatus::queued);
  REQUIRE(a.send_payload(pattern(3, 99), 1) == SendStatus::queued);
  static const NetBytes block = pattern(4, 300);
  std::uint16_t id = 0;
  REQUIRE(a.send_block(block, id) == SendStatus::queued);
  NetBytes memory(kDatagramBytesMax);
  // The first packet is a path probe without other data.
  for (Time now(1s); now < Time(2s); now += 50ms) {
    a.tick(now);
    if (!a.wants_to_send(now)) continue;
    const NetBytes body = copy_of(a.write_packet(now, memory));
    if (body.size() > 500 && body.size() < 1200) return body;
  }
  FAIL("no packet with everything");
  return {};
}

TEST_CASE("A truncated or changed packet is never accepted as something else",
          "[net][transport][sys-23]") {
  const NetBytes body = honest_body();
  REQUIRE(Victim().give(body) == PacketVerdict::received);
  damage::each_truncation(
      body, [](const ByteVector& cut) { REQUIRE(Victim().give(cut) == PacketVerdict::malformed); });
  damage::each_flip(body, [](std::size_t, ByteVector& damaged) {
    Victim victim;
    static_cast<void>(victim.give(damaged));
    const ConnectionCounters counters = victim.connection.counters();
    REQUIRE(counters.packets_in + counters.malformed_in + counters.unbelievable_in +
                counters.no_room_in ==
            1);
    REQUIRE(counters.messages_in <= 2);
  });
}

TEST_CASE("A payload too large for a shrunken path is reported lost and blocks nothing",
          "[net][transport][sys-22][sys-32]") {
  ConnectionPair pair(3, options(), {.latency = 10ms}, {.latency = 10ms});
  pair.run(5s, 16ms);
  Connection& a = pair.a->connection;
  REQUIRE(a.datagram_bytes() == kDatagramBytesMax);
  // Six large packets are lost, and a payload that is too large for the new size waits.
  pair.network.link(pair.there_link).mtu = 1250;
  std::uint64_t tag = 0;
  std::size_t reported = 0;
  std::size_t small_delivered = 0;
  for (int i = 0; i < 600; ++i) {
    static_cast<void>(
        a.send_payload(NetBytes(std::min<std::size_t>(1400, a.payload_bytes_max())), ++tag));
    const std::uint64_t packets = a.counters().packets_out;
    pair.step(16ms);
    REQUIRE(a.counters().packets_out - packets < 40);  // Few empty packets are sent.
    for (const DeliveryReport& report : a.delivery_reports()) {
      ++reported;
      if (report.delivered) ++small_delivered;
    }
    a.clear_delivery_reports();
    while (!pair.b->connection.payload().bytes.empty()) pair.b->connection.pop_payload();
  }
  REQUIRE(a.datagram_bytes() == 1200);
  REQUIRE(small_delivered > 100);
  REQUIRE(reported > 100);
}

TEST_CASE("Unread delivery reports beyond the limit are counted",
          "[net][transport][sys-25][sys-36]") {
  ConnectionPair pair(3, options(), {.latency = 5ms}, {.latency = 5ms});
  Connection& a = pair.a->connection;
  std::uint64_t queued = 0;
  const NetBytes payload = pattern(1, 10);
  for (int i = 0; i < 4000; ++i) {
    if (a.send_payload(payload, queued) == SendStatus::queued) ++queued;
    pair.step(5ms);
    while (!pair.b->connection.payload().bytes.empty()) pair.b->connection.pop_payload();
  }
  pair.run(1s, 5ms);
  REQUIRE(queued > 3000);
  REQUIRE(a.delivery_reports().size() + a.counters().delivery_reports_unread == queued);
}

TEST_CASE("Unconfirmed data is counted when a connection ends", "[net][transport][sys-36]") {
  ConnectionPair pair(3, options(), {.latency = 20ms}, {.latency = 20ms});
  pair.run(1s, 5ms);
  pair.network.link(pair.there_link).is_down = true;
  Connection& a = pair.a->connection;
  for (int i = 0; i < 5; ++i) {
    REQUIRE(a.send_message(0, pattern(1, 10)) == SendStatus::queued);
    REQUIRE(a.send_payload(pattern(1, 10), 1) == SendStatus::queued);
  }
  pair.step(5ms);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(a.send_message(1, pattern(1, 10)) == SendStatus::queued);
    REQUIRE(a.send_payload(pattern(1, 10), 1) == SendStatus::queued);
  }
  const NetBytes blocks = pattern(2, 3000);
  std::uint16_t first = 0;
  std::uint16_t second = 0;
  REQUIRE(a.send_block(blocks, first) == SendStatus::queued);
  REQUIRE(a.send_block(std::span(blocks).first(5), second) == SendStatus::queued);
  a.close(CloseReason::left, "", pair.now);
  REQUIRE(a.counters().lost_at_close == 18);
  // Each block is reported.
  REQUIRE(a.finished_blocks().size() == 2);
  for (const std::uint16_t id : {first, second}) {
    const std::optional<SentBlock> block = a.release_finished_block(id);
    REQUIRE(block.has_value());
    REQUIRE(block->refusal == BlockRefusal::closed);
  }
}

TEST_CASE("A send request after the end is refused and counted", "[net][transport][sys-36]") {
  Connection connection(options(), Time(1s));
  connection.close(CloseReason::left, "", Time(1s));
  std::uint16_t id = 0;
  const NetBytes bytes = pattern(1, 10);
  REQUIRE(connection.send_message(0, bytes) == SendStatus::closed);
  REQUIRE(connection.send_payload(bytes, 1) == SendStatus::closed);
  REQUIRE(connection.send_block(bytes, id) == SendStatus::closed);
  REQUIRE(connection.counters().would_block == 3);
  REQUIRE(connection.finished_blocks().empty());
}

TEST_CASE("An unread unreliable channel does not block other data",
          "[net][transport][sys-32][sys-36]") {
  ConnectionPair pair(5, options(), {.latency = 10ms}, {.latency = 10ms});
  Connection& a = pair.a->connection;
  Connection& b = pair.b->connection;
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
  std::uint64_t payloads = 0;
  for (int i = 0; i < 600; ++i) {
    REQUIRE(a.send_message(2, pattern(1, 20)) == SendStatus::queued);
    REQUIRE(a.send_message(0, pattern(sent++, 20)) == SendStatus::queued);
    REQUIRE(a.send_payload(pattern(2, 20), 1) == SendStatus::queued);
    pair.step(16ms);
    for (; !b.message(0).empty(); b.pop_message(0)) {
      REQUIRE(copy_of(b.message(0)) == pattern(received++, 20));
    }
    for (; !b.payload().bytes.empty(); b.pop_payload()) ++payloads;
  }
  REQUIRE(sent - received < 5);
  REQUIRE(sent - payloads < 5);
  REQUIRE(a.counters().lost_out == 0);
  REQUIRE(b.counters().no_room_in == 0);
  // The first messages are kept, and further messages are counted as dropped.
  pair.run(100ms, 16ms);
  std::uint64_t kept = 0;
  for (; !b.message(2).empty(); b.pop_message(2)) ++kept;
  REQUIRE(kept == kMessageWindow);
  REQUIRE(b.counters().messages_dropped == b.counters().payloads_in - kept);
  REQUIRE(a.send_message(2, pattern(7, 20)) == SendStatus::queued);
  pair.run(100ms, 16ms);
  REQUIRE(copy_of(b.message(2)) == pattern(7, 20));
}

TEST_CASE("An unread reliable channel does not block other data",
          "[net][transport][sys-32][sys-35]") {
  const double loss = GENERATE(0.0, 0.2);
  const LinkOptions link{.latency = 10ms, .loss = loss};
  ConnectionPair pair(5, options(), link, link);
  Connection& a = pair.a->connection;
  Connection& b = pair.b->connection;
  std::uint32_t blocked = 0;
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
  std::uint64_t payloads = 0;
  const auto play = [&](int ticks) {
    for (int i = 0; i < ticks; ++i) {
      while (a.send_message(0, pattern(blocked, 40)) == SendStatus::queued) ++blocked;
      REQUIRE(a.send_message(1, pattern(sent++, 20)) == SendStatus::queued);
      REQUIRE(a.send_payload(pattern(2, 20), 1) == SendStatus::queued);
      pair.step(16ms);
      for (; !b.message(1).empty(); b.pop_message(1)) ++received;
      for (; !b.payload().bytes.empty(); b.pop_payload()) ++payloads;
    }
  };
  play(1200);
  REQUIRE(sent - received < (loss == 0 ? 5U : 30U));
  if (loss == 0) REQUIRE(a.counters().lost_out == 0);
  REQUIRE(double(payloads) > (1 - 1.3 * loss) * (sent - 5));
  // The game reads half as often as the sender sends.
  std::uint32_t next = 0;
  for (int i = 0; i < 1200; ++i) {
    pair.step(16ms);
    for (; i % 3 == 0 && !b.message(0).empty(); b.pop_message(0)) {
      REQUIRE(copy_of(b.message(0)) == pattern(next++, 40));
    }
    for (; !b.message(1).empty(); b.pop_message(1)) ++received;
    for (; !b.payload().bytes.empty(); b.pop_payload()) ++payloads;
  }
  REQUIRE(next == blocked);
  REQUIRE(next > kMessageWindow);
  REQUIRE(received == sent);
  REQUIRE(b.counters().no_room_in == 0);
}

TEST_CASE("Each packet repeats the refusal of a block, also a packet to another address",
          "[net][transport][sys-30]") {
  Victim victim;
  REQUIRE(victim.give(PacketDraft().fragments(1).fragment(1, 17 * 1024 * 1024, 0)) ==
          PacketVerdict::received);
  NetBytes memory(kDatagramBytesMax);
  const NetBytes refusal = bytes_of({6, 1, 0, 1});
  const auto contains = [&](std::span<const std::byte> body) {
    return std::search(body.begin(), body.end(), refusal.begin(), refusal.end()) != body.end();
  };
  REQUIRE(contains(victim.connection.write_packet(Time(1s), memory)));
  REQUIRE(contains(victim.connection.write_path_challenge(Time(1s), 77, memory)));
  REQUIRE(contains(victim.connection.write_packet(Time(1s), memory)));
}

TEST_CASE("When several path challenges arrive, the newest one is answered last",
          "[net][transport][sys-22]") {
  Victim victim;
  REQUIRE(victim.give(PacketDraft().control({2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0,
                                             0})) == PacketVerdict::received);
  NetBytes memory(kDatagramBytesMax);
  NetBytes body = copy_of(victim.connection.write_packet(Time(1s), memory));
  const NetBytes answers = bytes_of({3, 1, 0, 0, 0, 0, 0, 0, 0, 3, 2, 0, 0, 0, 0, 0, 0, 0});
  REQUIRE(std::search(body.begin(), body.end(), answers.begin(), answers.end()) != body.end());
}

TEST_CASE("Path challenges beyond the number that one packet answers are counted",
          "[net][transport][sys-22][sys-36]") {
  Victim victim;
  const NetBytes six = [] {
    NetBytes items = bytes_of({6});
    for (unsigned i = 1; i <= 6; ++i) {
      const NetBytes question = bytes_of({2, i, 0, 0, 0, 0, 0, 0, 0});
      items.insert(items.end(), question.begin(), question.end());
    }
    return items;
  }();
  PacketDraft draft;
  draft.add(kControlSection, six);
  REQUIRE(victim.give(draft) == PacketVerdict::received);
  REQUIRE(victim.connection.counters().path_challenges_dropped == 2);
}

}  // namespace
}  // namespace muster
