#include "net/transport/sent_packets.h"

#include <initializer_list>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "net/transport/received_packets.h"
#include "registry/base/seed.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

PacketRecord record_at(Time now) {
  return {.sent_at = now, .byte_count = 100, .is_ack_eliciting = true};
}

RoundTrip trip_of(Duration time) {
  RoundTrip trip;
  trip.add(Time(1s), time, 0ms);
  return trip;
}

AckMask mask_of(std::uint32_t word) { return {.words = {word}, .word_count = 1}; }

std::map<std::uint32_t, bool> drain_resolved(SentPackets& sent) {
  std::map<std::uint32_t, bool> deliveries;
  for (const ResolvedPacket& packet : sent.resolved()) {
    REQUIRE(deliveries.emplace(packet.sequence, packet.delivered).second);
  }
  sent.clear_resolved();
  return deliveries;
}

// Packets up to 80, except 66 and 68, are acknowledged. The next acknowledgement, of 83, contains
// 68. So 68 is delivered, and 66 is lost by order and time.
TEST_CASE("A packet is lost when enough later packets are delivered and enough time has passed",
          "[net][transport][sys-25]") {
  SentPackets sent;
  const RoundTrip path = trip_of(100ms);
  Time now(10s);
  for (int i = 1; i <= 83; ++i) sent.send(record_at(now));
  const std::uint32_t all_but_66 = ~(1U << (80 - 66)) & ~(1U << (80 - 68));
  now += 100ms;
  sent.acknowledge(now, 64, {.words = {~0U, ~0U}, .word_count = 2}, path);
  REQUIRE(drain_resolved(sent).size() == 64);
  sent.acknowledge(now, 80, mask_of(all_but_66), path);
  REQUIRE(drain_resolved(sent).size() == 14);  // Packets 65 to 80, except 66 and 68.
  now += 20ms;
  const std::uint32_t later = ~(1U << (83 - 66));
  sent.acknowledge(now, 83, mask_of(later), path);
  const auto deliveries = drain_resolved(sent);
  REQUIRE(deliveries == std::map<std::uint32_t, bool>{
                            {66, false}, {68, true}, {81, true}, {82, true}, {83, true}});
  REQUIRE(sent.open_count() == 0);
  REQUIRE(sent.open_bytes() == 0);
}

TEST_CASE("A late acknowledgement reports nothing and increases the waiting time",
          "[net][transport][sys-25]") {
  SentPackets sent;
  const RoundTrip path = trip_of(10ms);
  Time now(10s);
  for (int i = 0; i < 40; ++i) sent.send(record_at(now));
  now += 20ms;
  const std::uint32_t without_1 = ~(1U << 9U);
  sent.acknowledge(now, 10, mask_of(without_1), path);
  REQUIRE(drain_resolved(sent)[1] == false);
  REQUIRE(sent.reorder_distance() == 3);
  sent.acknowledge(now, 10, mask_of(~0U), path);
  REQUIRE(drain_resolved(sent).empty());
  REQUIRE(sent.late_acknowledgements() == 1);
  REQUIRE(sent.reorder_distance() == 10);
  sent.acknowledge(now, 10, mask_of(~0U), path);
  REQUIRE(sent.late_acknowledgements() == 1);
}

TEST_CASE("When few packets are sent, only the time decides when an overtaken packet is lost",
          "[net][transport][sys-25]") {
  SentPackets sent;
  RoundTrip path = trip_of(60ms);
  for (int i = 0; i < 40; ++i) path.add(Time(1s), 60ms, 0ms);  // The round trip does not vary.
  Time now(10s);
  sent.send(record_at(now));
  sent.send(record_at(now + 20ms));
  sent.acknowledge(now + 80ms, 2, mask_of(~2U), path);
  REQUIRE(drain_resolved(sent) == std::map<std::uint32_t, bool>{{1, false}, {2, true}});
  REQUIRE(now + 80ms - now < path.probe_timeout());
}

TEST_CASE("When few packets are sent, the waiting time depends on the variation of the round trip",
          "[net][transport][sys-25]") {
  // The variation is half of the round trip, so the waiting time is 60 + 4 * 30 ms.
  RoundTrip path = trip_of(60ms);
  const auto is_lost_at = [&](Duration age_at_report) {
    SentPackets sent;
    const Time now(10s);
    sent.send(record_at(now));
    sent.send(record_at(now));
    sent.acknowledge(now + 10ms, 2, mask_of(~2U), path);
    sent.clear_resolved();
    sent.tick(now + age_at_report, path);
    return !sent.resolved().empty();
  };
  REQUIRE_FALSE(is_lost_at(179ms));
  REQUIRE(is_lost_at(180ms));
  // If the latest round trip is longer than the smoothed round trip, the latest is used.
  for (int i = 0; i < 100; ++i) path.add(Time(1s), 60ms, 0ms);
  path.add(Time(1s), 76ms, 0ms);
  REQUIRE_FALSE(is_lost_at(91ms));
  REQUIRE(is_lost_at(93ms));
  path = RoundTrip();  // A path without measurements.
  REQUIRE_FALSE(is_lost_at(499ms));
}

TEST_CASE(
    "The waiting time follows the longest delay by reordering, even if no packet was reported lost",
    "[net][transport][sys-25]") {
  RoundTrip path = trip_of(60ms);
  for (int i = 0; i < 40; ++i) path.add(Time(1s), 60ms, 0ms);
  const auto is_lost_at = [&](Duration age_at_report, std::initializer_list<Duration> overtaken,
                              bool is_other_path = false) {
    SentPackets sent;
    Time now(10s);
    for (const Duration age : overtaken) {
      const std::uint32_t first = sent.next_sequence();
      sent.send(record_at(now));
      sent.send(record_at(now + 50ms));
      sent.acknowledge(now + 55ms, first + 1, mask_of(~2U), path);
      sent.acknowledge(now + age, first + 1, mask_of(~0U), path);
      sent.clear_resolved();
      now += age;
    }
    REQUIRE(sent.late_acknowledgements() == 0);
    if (is_other_path) sent.path_changed();
    const std::uint32_t first = sent.next_sequence();
    sent.send(record_at(now));
    sent.send(record_at(now));
    sent.acknowledge(now + age_at_report, first + 1, mask_of(~2U), path);
    return sent.resolved().size() == 2;
  };
  REQUIRE_FALSE(is_lost_at(67ms, {}));
  REQUIRE(is_lost_at(68ms, {}));
  REQUIRE_FALSE(is_lost_at(71ms, {64ms, 56ms}));
  REQUIRE(is_lost_at(73ms, {64ms, 56ms}));
  REQUIRE(is_lost_at(68ms, {64ms}, true));
  // A packet that is late by more than 500 ms counts as late by 500 ms.
  REQUIRE_FALSE(is_lost_at(560ms, {2s}));
  REQUIRE(is_lost_at(570ms, {2s}));
}

TEST_CASE("At the end all packets in flight are lost", "[net][transport][sys-25]") {
  SentPackets sent;
  const Time now(10s);
  for (int i = 0; i < 3; ++i) sent.send(record_at(now));
  sent.acknowledge(now + 60ms, 2, mask_of(~2U), trip_of(60ms));
  REQUIRE(drain_resolved(sent) == std::map<std::uint32_t, bool>{{2, true}});
  sent.give_up();
  REQUIRE(drain_resolved(sent) == std::map<std::uint32_t, bool>{{1, false}, {3, false}});
  REQUIRE(sent.open_count() == 0);
  REQUIRE(sent.open_bytes() == 0);
}

TEST_CASE("A path that reorders packets increases the waiting time", "[net][transport][sys-25]") {
  SentPackets sent;
  RoundTrip path = trip_of(60ms);
  for (int i = 0; i < 40; ++i) path.add(Time(1s), 60ms, 0ms);
  Time now(10s);
  const auto lose_first_of_two = [&](Duration second_reported, Duration first_reported) {
    const std::uint32_t first = sent.next_sequence();
    sent.send(record_at(now));
    sent.send(record_at(now));
    sent.acknowledge(now + second_reported, first + 1, mask_of(~2U), path);
    const bool was_lost = sent.resolved().size() == 2;
    sent.acknowledge(now + first_reported, first + 1, mask_of(~0U), path);
    sent.clear_resolved();
    now += 200ms;
    return was_lost;
  };
  REQUIRE(lose_first_of_two(70ms, 100ms));
  REQUIRE(sent.late_acknowledgements() == 1);
  // On this path, a packet may take 100 ms.
  REQUIRE_FALSE(lose_first_of_two(110ms, 111ms));
  REQUIRE(sent.late_acknowledgements() == 1);
  now += kPathWindow + 200ms;  // The measured overtaking has expired.
  REQUIRE(lose_first_of_two(70ms, 111ms));
}

TEST_CASE("An acknowledgement of packets that were never sent is refused",
          "[net][transport][sys-25]") {
  SentPackets sent;
  REQUIRE(sent.is_believable(0, mask_of(~0U)));
  REQUIRE_FALSE(sent.is_believable(0, mask_of(~2U)));
  REQUIRE_FALSE(sent.is_believable(1, mask_of(~0U)));
  sent.send(record_at(Time(1s)));
  REQUIRE(sent.is_believable(1, mask_of(~0U)));
  REQUIRE_FALSE(sent.is_believable(2, mask_of(~0U)));
  // Numbers below 1 count as received.
  REQUIRE_FALSE(sent.is_believable(1, mask_of(1)));
}

TEST_CASE("When the window is full, the oldest packet in flight is reported lost",
          "[net][transport][sys-25][sys-29]") {
  SentPackets sent;
  for (std::uint32_t i = 0; i < kPacketsInFlightMax; ++i) {
    REQUIRE(sent.has_room());
    sent.send(record_at(Time(1s)));
  }
  REQUIRE_FALSE(sent.has_room());
  sent.send(record_at(Time(1s)));
  REQUIRE(drain_resolved(sent) == std::map<std::uint32_t, bool>{{1, false}});
  REQUIRE(sent.open_count() == kPacketsInFlightMax);
}

TEST_CASE("An unanswered packet is lost after the timeout, which doubles each time up to 2 s",
          "[net][transport][sys-25]") {
  SentPackets sent;
  const RoundTrip path =
      // The variation is half of the round trip, so the timeout is 40 + 4 * 20 + 20 ms.
      trip_of(40ms);
  REQUIRE(path.probe_timeout() == 140ms);
  Time now(10s);
  const auto lost_after = [&] {
    const Time sent_at = now;
    sent.send(record_at(now));
    while (sent.resolved().empty()) {
      now += 1ms;
      sent.tick(now, path);
    }
    REQUIRE_FALSE(sent.resolved()[0].delivered);
    sent.clear_resolved();
    return now - sent_at;
  };
  REQUIRE(lost_after() == 140ms);
  REQUIRE(lost_after() == 280ms);
  REQUIRE(lost_after() == 560ms);
  REQUIRE(lost_after() == 1120ms);
  REQUIRE(lost_after() == 2000ms);
  REQUIRE(lost_after() == 2000ms);
  sent.send(record_at(now));
  sent.acknowledge(now + 1ms, sent.next_sequence() - 1, mask_of(1U | ~63U), path);
  sent.clear_resolved();
  REQUIRE(sent.timeouts() == 0);
}

/// Packets over a path with loss, delay and duplicates, and a receiver whose acknowledgements use
/// the same path. Stores the report of every packet.
struct Model {
  explicit Model(std::uint64_t percent) : random(percent + 1), lost_percent(percent) {}

  Random random;
  SentPackets sent;
  ReceivedPackets received;
  RoundTrip path = trip_of(170ms);  // The maximum round trip.
  Time now{10s};
  struct Ack {
    std::uint32_t highest;
    AckMask mask;
  };
  std::multimap<Time, std::uint32_t> there;
  std::multimap<Time, Ack> back;
  std::map<std::uint32_t, bool> deliveries;
  std::set<std::uint32_t> arrived;
  std::uint64_t lost_percent;

  bool is_lost() { return random.below(100) < lost_percent; }
  Duration delay() { return std::chrono::microseconds(25'000 + random.below(60'000)); }

  void send() {
    const std::uint32_t sequence = sent.next_sequence();
    sent.send(record_at(now));
    if (!is_lost()) there.emplace(now + delay(), sequence);
    if (random.below(10) == 0) there.emplace(now + delay(), sequence);
  }
  void step() {
    now += 2ms;
    for (; !there.empty() && there.begin()->first <= now; there.erase(there.begin())) {
      const std::uint32_t sequence = there.begin()->second;
      if (received.classify(sequence) != Reception::fresh) continue;
      static_cast<void>(received.mark(sequence));
      arrived.insert(sequence);
      if (!is_lost()) back.emplace(now + delay(), Ack{received.highest(), received.mask(0)});
    }
    for (; !back.empty() && back.begin()->first <= now; back.erase(back.begin())) {
      const Ack& ack = back.begin()->second;
      REQUIRE(sent.is_believable(ack.highest, ack.mask));
      sent.acknowledge(now, ack.highest, ack.mask, path);
      settle();
    }
    sent.tick(now, path);
    settle();
  }
  void settle() {
    for (const ResolvedPacket& packet : sent.resolved()) {
      if (!deliveries.emplace(packet.sequence, packet.delivered).second) {
        FAIL("packet " << packet.sequence << " was reported twice");
      }
      if (packet.delivered && !arrived.contains(packet.sequence)) {
        FAIL("packet " << packet.sequence << " was called delivered and never came");
      }
    }
    sent.clear_resolved();
  }
};

TEST_CASE("Every packet is reported exactly once on any path and across the wrap",
          "[net][transport][sys-25][sys-27]") {
  const std::uint64_t lost_percent = GENERATE(0U, 5U, 30U, 60U);
  CAPTURE(lost_percent);
  Model model(lost_percent);
  // 70,000 packets, so that the sent numbers wrap.
  const std::uint32_t count = lost_percent == 5 ? 70'000 : 5'000;
  while (model.sent.next_sequence() <= count) {
    for (std::uint64_t i = model.random.below(20); i > 0; --i) model.send();
    model.step();
    REQUIRE(model.sent.open_count() <= kPacketsInFlightMax);
  }
  for (int i = 0; i < 5000; ++i) model.step();
  const std::uint32_t sent = model.sent.next_sequence() - 1;
  REQUIRE(model.deliveries.size() == sent);
  REQUIRE(model.deliveries.begin()->first == 1);
  REQUIRE(model.deliveries.rbegin()->first == sent);
  REQUIRE(model.sent.open_count() == 0);
  REQUIRE(model.sent.open_bytes() == 0);
  // Without loss and with a known round trip, no delivered packet is reported lost.
  std::size_t wrong = 0;
  for (const auto& [sequence, delivered] : model.deliveries) {
    if (!delivered && model.arrived.contains(sequence)) ++wrong;
  }
  CAPTURE(wrong);
  if (lost_percent == 0) REQUIRE(wrong == 0);
}

}  // namespace
}  // namespace muster
