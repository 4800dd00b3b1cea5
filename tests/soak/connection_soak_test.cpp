// Simulates an hour on a network that is worse than the network of any published test. All received
// data is verified, and all promised data must arrive.
#include <chrono>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "tests/support/connection_pair.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kOrdered = 0;
constexpr std::size_t kUnordered = 1;
constexpr std::size_t kUnreliable = 2;

/// Returns bytes that begin with `number`. All of them can be verified.
NetBytes numbered(std::uint32_t number, std::size_t more) {
  const NetBytes rest = pattern(number, more);
  NetBytes bytes;
  for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(number >> (8 * i)));
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  return bytes;
}

std::uint32_t number_in(std::span<const std::byte> bytes) {
  if (bytes.size() < 4) FAIL("cut to " << bytes.size());
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
  if (copy_of(bytes) != numbered(number, bytes.size() - 4)) FAIL("bytes of " << number);
  return number;
}

/// The traffic in one direction.
struct Talk {
  Random random;
  Connection* from;
  Connection* to;
  std::uint32_t ordered_sent = 0;
  std::uint32_t ordered_read = 0;
  std::uint32_t unordered_sent = 0;
  std::set<std::uint32_t> unordered_read{};
  std::uint32_t unreliable_sent = 0;
  std::set<std::uint32_t> unreliable_read{};
  std::uint32_t payloads_sent = 0;
  std::set<std::uint32_t> payloads_read{};
  std::map<std::uint32_t, bool> reports{};
  std::map<std::uint32_t, NetBytes> blocks{};
  std::uint32_t blocks_sent = 0;
  std::uint32_t blocks_read = 0;

  void send() {
    if (random.below(8) == 0 &&
        from->send_message(kOrdered, numbered(ordered_sent, random.below(120))) ==
            SendStatus::queued) {
      ++ordered_sent;
    }
    if (random.below(8) == 0 &&
        from->send_message(kUnordered, numbered(unordered_sent, random.below(400))) ==
            SendStatus::queued) {
      ++unordered_sent;
    }
    if (random.below(8) == 0 &&
        from->send_message(kUnreliable, numbered(unreliable_sent, random.below(60))) ==
            SendStatus::queued) {
      ++unreliable_sent;
    }
    if (random.below(3) == 0 && from->send_payload(numbered(payloads_sent, random.below(500)),
                                                   payloads_sent) == SendStatus::queued) {
      ++payloads_sent;
    }
    if (blocks.size() < 2 && random.below(500) == 0) {
      // A block's number is its id; ids start at 1.
      const auto kept =
          blocks.emplace(blocks_sent + 1, numbered(blocks_sent, random.below(20'000)));
      std::uint16_t id = 0;
      REQUIRE(from->send_block(kept.first->second, id) == SendStatus::queued);
      REQUIRE(id == ++blocks_sent);
    }
  }

  void listen() {
    for (; !to->message(kOrdered).empty(); to->pop_message(kOrdered)) {
      if (number_in(to->message(kOrdered)) != ordered_read++) FAIL("out of order");
    }
    const auto read_once = [&](std::size_t channel, std::set<std::uint32_t>& read) {
      for (; !to->message(channel).empty(); to->pop_message(channel)) {
        if (!read.insert(number_in(to->message(channel))).second) FAIL("arrived twice");
      }
    };
    read_once(kUnordered, unordered_read);
    read_once(kUnreliable, unreliable_read);
    for (; !to->payload().bytes.empty(); to->pop_payload()) {
      if (!payloads_read.insert(number_in(to->payload().bytes)).second) FAIL("arrived twice");
    }
    for (; !to->block().empty(); to->pop_block()) {
      static_cast<void>(number_in(to->block()));
      ++blocks_read;
    }
    for (const DeliveryReport& report : from->delivery_reports()) {
      const auto tag = static_cast<std::uint32_t>(report.tag);
      if (!reports.emplace(tag, report.delivered).second)
        FAIL("payload " << tag << " reported twice");
      if (report.delivered && !payloads_read.contains(tag))
        FAIL("payload " << tag << " never arrived");
    }
    from->clear_delivery_reports();
    for (const SentBlock& block : from->finished_blocks()) {
      REQUIRE_FALSE(block.refusal.has_value());
      REQUIRE(blocks.erase(block.id) == 1);
    }
    from->clear_finished_blocks();
  }

  bool is_over() const {
    return ordered_read == ordered_sent && unordered_read.size() == unordered_sent &&
           reports.size() == payloads_sent && blocks.empty();
  }
};

TEST_CASE(
    "The guarantees of a connection hold for an hour with 1 s of latency, losses, duplicates and "
    "bursts",
    "[net][soak][sys-25][sys-30][sys-35]") {
  const LinkOptions link{.latency = 1s,
                         .jitter = 100ms,
                         .loss = 0.25,
                         .burst_begin = 0.002,
                         .burst_end = 0.05,
                         .burst_loss = 1,
                         .duplicate = 0.25};
  const ConnectionOptions options{.channels = {{.delivery = Delivery::reliable_ordered},
                                               {.delivery = Delivery::reliable_unordered},
                                               {.delivery = Delivery::unreliable}}};
  ConnectionPair pair(7, options, link, link);
  Talk there{.random = Random(1), .from = &pair.a->connection, .to = &pair.b->connection};
  Talk back{.random = Random(2), .from = &pair.b->connection, .to = &pair.a->connection};
  const Time end = pair.now + 1h;
  for (; pair.now < end; pair.step(16ms)) {
    for (Talk* talk : {&there, &back}) {
      talk->send();
      talk->listen();
    }
  }
  for (int i = 0; i < 60'000 && !(there.is_over() && back.is_over()); ++i) {
    pair.step(16ms);
    there.listen();
    back.listen();
  }
  for (const Talk* talk : {&there, &back}) {
    CAPTURE(talk->ordered_sent, talk->ordered_read, talk->unordered_sent, talk->payloads_sent,
            talk->reports.size(), talk->blocks_sent, talk->blocks_read);
    REQUIRE(talk->is_over());
    REQUIRE(talk->blocks_read == talk->blocks_sent);
    REQUIRE(talk->ordered_sent > 1000);
    // The game tries to send 75,000 payloads. The loss of a quarter and random delays reduce the
    // number.
    REQUIRE(talk->payloads_sent > 10'000);
    REQUIRE(talk->blocks_sent > 10);
    REQUIRE(talk->unreliable_read.size() > talk->unreliable_sent / 2);
  }
  for (ConnectionEnd* each : {&*pair.a, &*pair.b}) {
    REQUIRE(each->connection.state() == ConnectionState::connected);
    REQUIRE(each->verdicts[PacketVerdict::malformed] == 0);
    REQUIRE(each->verdicts[PacketVerdict::unbelievable] == 0);
  }
}

}  // namespace
}  // namespace muster
