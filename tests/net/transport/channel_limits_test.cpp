// Message limits: how a receiver sends them, how a new map resets them, and how unread data is
// reported.
#include <array>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

#include "net/capture/packet_view.h"
#include "net/transport/connection.h"
#include "tests/support/net_bytes.h"
#include "tests/support/packet_draft.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

ConnectionOptions ordered(std::size_t channels) {
  ConnectionOptions options;
  options.channels.resize(channels, {.delivery = Delivery::reliable_ordered});
  options.leads_maps = true;
  return options;
}

/// A connection whose peer the test simulates.
struct End {
  explicit End(std::size_t channels) : connection(ordered(channels), Time(1s)) {}

  PacketVerdict give(const PacketDraft& draft) {
    const NetBytes body = draft.body();
    return connection.read_packet(now, ++packets_received, body.size() + 23, body);
  }
  /// Delivers a window of messages on a channel, and reads them.
  void fill_and_read(unsigned channel) {
    for (unsigned id = 1; id <= kMessageWindow; ++id) {
      const unsigned head = channel | 8U | 16U;
      REQUIRE(give(PacketDraft().messages({1, head, id & 0xFFU, id >> 8U, 1, 7})) ==
              PacketVerdict::received);
      REQUIRE_FALSE(connection.message(channel).empty());
      connection.pop_message(channel);
    }
  }
  /// Writes a packet, and returns the limits in it as channel and number.
  std::vector<std::array<unsigned, 2>> limits_written() {
    NetBytes memory(kDatagramBytesMax);
    const std::span<const std::byte> body = connection.write_packet(now, memory);
    PacketView view;
    read_packet_view(body, body.size(), view);
    REQUIRE(view.problem.empty());
    std::vector<std::array<unsigned, 2>> limits;
    for (const ControlView& item : std::span(view.controls).first(view.control_count)) {
      if (item.kind == ControlItem::channel_limit) limits.push_back({item.channel, item.number});
    }
    return limits;
  }
  void acknowledge(std::uint32_t sequence, std::uint32_t word) {
    PacketDraft draft;
    draft.header.ack = Sequence::of(sequence);
    draft.header.mask = {.words = {word}, .word_count = 1};
    draft.header.hold = 0;
    REQUIRE(give(draft) == PacketVerdict::received);
  }

  Connection connection;
  Time now{1s};
  std::uint32_t packets_received = 0;
};

using Limits = std::vector<std::array<unsigned, 2>>;

TEST_CASE("A new limit is sent at once when half a window was read", "[net][transport][sys-32]") {
  End end(2);
  for (unsigned id = 1; id <= kMessageWindow / 2; ++id) {
    REQUIRE_FALSE(end.connection.wants_to_send(end.now));
    REQUIRE(end.give(PacketDraft().messages({1, 24, id & 0xFFU, id >> 8U, 1, 7})) ==
            PacketVerdict::received);
    // Answers the received packets, so that only the limit is left to send.
    if (id % 8 == 0) REQUIRE(end.limits_written().empty());
    if (id == kMessageWindow / 2) end.now += 1ms;
  }
  const std::uint32_t read = kMessageWindow / 2;
  for (std::uint32_t i = 1; i < read; ++i) {
    end.connection.pop_message(0);
    REQUIRE_FALSE(end.connection.wants_to_send(end.now));
  }
  end.connection.pop_message(0);
  REQUIRE(end.connection.wants_to_send(end.now));
  REQUIRE(end.limits_written() == Limits{{0, kFirstMessageLimit + read}});
  REQUIRE_FALSE(end.connection.wants_to_send(end.now));
}

TEST_CASE("A limit is included in the next packet when a quarter of a window was read",
          "[net][transport][sys-32]") {
  End end(1);
  for (unsigned id = 1; id <= kLimitStep; ++id) {
    REQUIRE(end.give(PacketDraft().messages({1, 24, id, 0, 1, 7})) == PacketVerdict::received);
    if (id == kLimitStep) REQUIRE(end.limits_written().empty());
    end.connection.pop_message(0);
  }
  REQUIRE(end.limits_written() == Limits{{0, kFirstMessageLimit + kLimitStep}});
}

TEST_CASE("A limit is repeated until it is confirmed, but only in packets without other data",
          "[net][transport][sys-32]") {
  End end(2);
  end.fill_and_read(1);
  const bool has_more = GENERATE(false, true);
  CAPTURE(has_more);
  const auto write = [&] {
    if (has_more) {
      static_cast<void>(end.connection.send_payload(pattern(1, 10), 1));
    }
    return end.limits_written();
  };
  const Limits sent = {{1, kFirstMessageLimit + kMessageWindow}};
  const std::uint32_t first = end.connection.next_sequence();
  REQUIRE(write() == sent);
  for (int i = 0; i < 4; ++i) REQUIRE(write() == (has_more ? Limits() : sent));
  if (has_more) {
    // Later packets overtake the packet with the limit. So it is reported as lost, and the limit is
    // sent again.
    end.now += 100ms;
    end.acknowledge(first + 4, 0xFFFFFFEF);
    end.now += 50ms;
    end.connection.tick(end.now);
    REQUIRE(write() == sent);
    REQUIRE(write().empty());
  }
  end.acknowledge(end.connection.next_sequence() - 1, ~0U);
  for (int i = 0; i < 4; ++i) REQUIRE(write().empty());
}

TEST_CASE("A packet never has more than the maximum number of items", "[net][transport][sys-32]") {
  End end(kChannelsMax);
  constexpr std::uint32_t kTooLarge = 17 * 1024 * 1024;
  for (const std::uint16_t first : {std::uint16_t{1}, std::uint16_t{5}}) {
    PacketDraft four;
    four.fragments(4);
    for (std::uint16_t i = 0; i < 4; ++i) four.fragment(first + i, kTooLarge, 0);
    REQUIRE(end.give(four) == PacketVerdict::received);
  }
  for (unsigned channel = 0; channel < kChannelsMax; ++channel) end.fill_and_read(channel);
  for (unsigned question = 0; question < 4; ++question) {
    REQUIRE(end.give(PacketDraft().control({1, 2, question, 0, 0, 0, 0, 0, 0, 0})) ==
            PacketVerdict::received);
  }
  std::set<unsigned> sent;
  int packets = 0;
  for (; end.connection.wants_to_send(end.now) && packets < 10; ++packets) {
    for (const auto& limit : end.limits_written()) sent.insert(limit[0]);
  }
  REQUIRE(sent.size() == kChannelsMax);
  // Three of the packets contain stored acknowledgements.
  REQUIRE(packets <= 6);
}

TEST_CASE("A limit of the previous map is ignored in the next map", "[net][transport][sys-34]") {
  End end(1);
  Connection& connection = end.connection;
  NetBytes memory(kDatagramBytesMax);
  const auto messages_sent = [&] {
    for (int i = 0; i < 20; ++i) {
      end.now += 16ms;
      connection.tick(end.now);
      while (connection.wants_to_send(end.now)) {
        static_cast<void>(connection.write_packet(end.now, memory));
      }
    }
    return connection.counters().messages_out - connection.counters().messages_resent;
  };
  connection.begin_map();
  for (int i = 0; i < 300; ++i) {
    REQUIRE(connection.send_message(0, pattern(1, 1)) == SendStatus::queued);
  }
  // The peer has not changed to the new map yet.
  REQUIRE(end.give(PacketDraft().control({1, 8, 0, 0x90, 1})) == PacketVerdict::received);
  REQUIRE(connection.counters().past_map_in == 1);
  REQUIRE(messages_sent() == kMessageWindow);
  PacketDraft acknowledgement;
  acknowledgement.header.ack = Sequence::of(connection.next_sequence() - 1);
  acknowledgement.header.mask = {.words = {~0U, ~0U, ~0U, ~0U}, .word_count = 4};
  acknowledgement.header.hold = 0;
  acknowledgement.control({1, 7, 1, 0});
  REQUIRE(end.give(acknowledgement) == PacketVerdict::received);
  REQUIRE(messages_sent() == kMessageWindow);
  REQUIRE(end.give(PacketDraft().control({1, 8, 0, 0x90, 1})) == PacketVerdict::received);
  REQUIRE(messages_sent() == 300);
}

TEST_CASE("Each time that unread payloads or blocks stop a connection, this is reported once",
          "[net][transport]") {
  End end(1);
  const bool are_blocks = GENERATE(false, true);
  CAPTURE(are_blocks);
  std::uint16_t id = 0;
  const auto give_one = [&] {
    if (are_blocks) return end.give(PacketDraft().fragments(1).fragment(++id, 10, 0));
    return end.give(PacketDraft().payload(pattern(1, 10)));
  };
  const auto read_one = [&] {
    Connection& game = end.connection;
    are_blocks ? game.pop_block() : game.pop_payload();
  };
  const std::size_t room = are_blocks ? kBlocksAtOnce : kPacketsInFlightMax;
  for (std::uint64_t stop = 1; stop <= 2; ++stop) {
    for (std::size_t i = 0; i < room; ++i) REQUIRE(give_one() == PacketVerdict::received);
    REQUIRE_FALSE(end.connection.is_stopped_unread());
    for (int i = 0; i < 10; ++i) {
      // A game that reads one item at a time stays in the same stop.
      REQUIRE(give_one() == PacketVerdict::no_room);
      REQUIRE(give_one() == PacketVerdict::no_room);
      read_one();
      REQUIRE(give_one() == PacketVerdict::received);
      REQUIRE(end.connection.is_stopped_unread());
      REQUIRE(end.connection.counters().unread_stops == stop);
    }
    for (std::size_t i = 0; i < room; ++i) read_one();
    REQUIRE_FALSE(end.connection.is_stopped_unread());
    REQUIRE(end.connection.counters().no_room_in == 20 * stop);
  }
}

}  // namespace
}  // namespace muster
