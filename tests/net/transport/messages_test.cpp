#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

#include "net/transport/message_receiver.h"
#include "net/transport/message_sender.h"
#include "net/wire/section_writer.h"
#include "net/wire/sequence.h"
#include "registry/base/bytes.h"
#include "registry/base/seed.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

struct WrittenMessage {
  std::uint32_t id = 0;
  unsigned head = 0;
  NetBytes bytes;
};

/// Writes and parses one message of a sender.
WrittenMessage write_next(MessageSender& sender) {
  NetBytes memory(1100);
  SectionWriter writer(memory);
  const std::size_t expected = sender.pending_bytes();
  WrittenMessage message{.id = sender.write_pending(writer), .bytes = {}};
  REQUIRE(writer.used() == expected);
  ByteReader reader(writer.written());
  message.head = reader.u8();
  if ((message.head & 8U) != 0) REQUIRE(reader.u16() == (message.id & 0xFFFFU));
  std::size_t size = reader.u8();
  if (size >= 128) size = (size & 127U) | static_cast<std::size_t>(reader.u8()) << 7U;
  message.bytes = copy_of(reader.bytes(size));
  REQUIRE(reader.is_finished());
  return message;
}

TEST_CASE("A message's header and length have one encoding", "[net][transport][sys-32]") {
  const auto [delivery, head] = GENERATE(table<Delivery, unsigned>({
      {Delivery::unreliable, 5},
      {Delivery::reliable_unordered, 5 + 8},
      {Delivery::reliable_ordered, 5 + 8 + 16},
  }));
  MessageSender sender(5, {.delivery = delivery});
  for (const std::size_t size : {1U, 127U, 128U, 1023U, 1024U}) {
    CAPTURE(size);
    REQUIRE(sender.push(pattern(7, size)) == SendStatus::queued);
    const std::size_t number = delivery == Delivery::unreliable ? 0 : 2;
    REQUIRE(sender.pending_bytes() == 1 + number + (size < 128 ? 1 : 2) + size);
    const WrittenMessage message = write_next(sender);
    REQUIRE(message.head == head);
    REQUIRE(message.bytes == pattern(7, size));
  }
}

TEST_CASE("Each refused message gets the right reason", "[net][transport][sys-32][sys-35]") {
  MessageSender sender(0, {.queue_bytes = 4096});
  REQUIRE(sender.push({}) == SendStatus::empty);
  REQUIRE(sender.push(pattern(1, 1025)) == SendStatus::too_large);
  SECTION("the queue has too many bytes") {
    int queued = 0;
    while (sender.push(pattern(1, 1000)) == SendStatus::queued) ++queued;
    REQUIRE(queued == 4);
    REQUIRE(sender.push(pattern(1, 1000)) == SendStatus::would_block);
    REQUIRE(sender.push(pattern(1, 50)) == SendStatus::queued);
    sender.delivered(write_next(sender).id);
    REQUIRE(sender.push(pattern(1, 900)) == SendStatus::queued);
  }
  SECTION("the queue has too many messages") {
    for (std::uint32_t i = 0; i < kMessagesQueuedMax; ++i) {
      REQUIRE(sender.push(pattern(i, 1)) == SendStatus::queued);
    }
    REQUIRE(sender.push(pattern(1, 1)) == SendStatus::would_block);
  }
  SECTION("a message is larger than the whole queue") {
    MessageSender narrow(0, {.queue_bytes = 100});
    REQUIRE(narrow.push(pattern(1, 101)) == SendStatus::too_large);
    REQUIRE(narrow.push(pattern(1, 50)) == SendStatus::queued);
  }
}

TEST_CASE("A reliable channel has at most its window in flight", "[net][transport][sys-35]") {
  MessageSender sender(0, {});
  sender.allow_below(kFirstMessageLimit + 300);
  for (int i = 0; i < 300; ++i) REQUIRE(sender.push(pattern(1, 1)) == SendStatus::queued);
  std::vector<std::uint32_t> ids;
  while (sender.has_pending()) ids.push_back(write_next(sender).id);
  REQUIRE(ids.size() == kMessageWindow);
  sender.delivered(ids[1]);  // This is not the oldest message, so the window does not move.
  REQUIRE_FALSE(sender.has_pending());
  sender.delivered(ids[0]);
  REQUIRE(write_next(sender).id == ids.back() + 1);
  REQUIRE(write_next(sender).id == ids.back() + 2);
  REQUIRE_FALSE(sender.has_pending());
}

TEST_CASE("A sender sends no message beyond the receiver's limit", "[net][transport][sys-32]") {
  MessageSender sender(0, {});
  for (int i = 0; i < 300; ++i) REQUIRE(sender.push(pattern(1, 1)) == SendStatus::queued);
  const auto send_all = [&] {
    std::uint32_t last = 0;
    for (; sender.has_pending(); sender.delivered(last)) last = write_next(sender).id;
    return last;
  };
  REQUIRE(send_all() == kMessageWindow);
  sender.allow_below(kFirstMessageLimit + 10);
  sender.allow_below(kFirstMessageLimit + 5);  // A lower limit is ignored.
  REQUIRE(send_all() == kMessageWindow + 10);
  sender.clear();
  for (int i = 0; i < 300; ++i) REQUIRE(sender.push(pattern(1, 1)) == SendStatus::queued);
  REQUIRE(send_all() == kMessageWindow);
}

TEST_CASE("A receiver's limit follows the messages that the game has read",
          "[net][transport][sys-32]") {
  const Delivery delivery = GENERATE(Delivery::reliable_ordered, Delivery::reliable_unordered);
  MessageReceiver receiver(delivery);
  const auto arrive = [&](std::uint32_t id) {
    REQUIRE(receiver.classify(id) == Arrival::fresh);
    receiver.store(id, pattern(id, 1));
  };
  for (const std::uint32_t id : {1U, 3U, 2U, 4U, 6U}) arrive(id);
  REQUIRE(receiver.limit() == kFirstMessageLimit);
  receiver.pop();  // 1
  REQUIRE(receiver.limit() == kFirstMessageLimit + 1);
  // In an unordered channel this is message 3, and message 2 still limits the window.
  receiver.pop();
  const bool is_ordered = delivery == Delivery::reliable_ordered;
  REQUIRE(receiver.limit() == kFirstMessageLimit + (is_ordered ? 2 : 1));
  receiver.pop();
  receiver.pop();
  if (!is_ordered) receiver.pop();  // This is message 6, because message 5 never arrived.
  REQUIRE(receiver.limit() == kFirstMessageLimit + 4);
  for (std::uint32_t id = receiver.limit() - 1; id > 6; --id) arrive(id);
  arrive(5);
  REQUIRE(receiver.classify(receiver.limit()) == Arrival::no_room);
}

/// Compares the queue with a queue of unlimited memory.
TEST_CASE(
    "The ring of messages loses no byte with losses, late acknowledgements and the wrap at its end",
    "[net][transport][sys-32][sys-35]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U, 4U);
  const std::size_t queue_bytes = GENERATE(1500U, 5000U, 64U * 1024U);
  CAPTURE(seed, queue_bytes);
  Random random(seed);
  MessageSender sender(1, {.queue_bytes = queue_bytes});
  sender.allow_below(kWidenLimit);
  struct Entry {
    NetBytes bytes;
    int in_flight = 0;
    bool is_lost = false;
    bool is_done = false;
  };
  std::map<std::uint32_t, Entry> model;
  std::uint32_t next_id = 1;
  std::uint64_t resent = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t action = random.below(10);
    if (action < 4) {
      const NetBytes bytes = pattern(next_id, 1 + random.below(random.below(4) == 0 ? 1024 : 60));
      if (sender.push(bytes) == SendStatus::queued) model[next_id++] = {.bytes = bytes};
    } else if (action < 7 && sender.has_pending()) {
      const WrittenMessage message = write_next(sender);
      Entry& entry = model.at(message.id);
      REQUIRE(message.bytes == entry.bytes);
      REQUIRE_FALSE(entry.is_done);
      REQUIRE((entry.is_lost || entry.in_flight == 0));
      if (entry.is_lost) ++resent;
      entry.is_lost = false;
      ++entry.in_flight;
    } else if (!model.empty()) {
      auto chosen = model.begin();
      std::advance(chosen, static_cast<std::ptrdiff_t>(random.below(model.size())));
      auto& [id, entry] = *chosen;
      if (entry.in_flight == 0 && !entry.is_lost) continue;
      if (random.below(3) == 0) {
        if (!entry.is_done && !entry.is_lost) entry.is_lost = true;
        sender.lost(id);
      } else {
        entry.is_done = true;
        entry.is_lost = false;
        sender.delivered(id);
      }
    }
    while (!model.empty() && model.begin()->second.is_done) model.erase(model.begin());
    REQUIRE(sender.waiting() == (model.empty() ? 0 : next_id - model.begin()->first));
    REQUIRE(sender.resent() == resent);
  }
  REQUIRE(next_id > 1000);
}

TEST_CASE("An ordered channel delivers in order, and an unordered channel delivers at once",
          "[net][transport][sys-35]") {
  MessageReceiver ordered(Delivery::reliable_ordered);
  MessageReceiver unordered(Delivery::reliable_unordered);
  for (const std::uint32_t id : {3U, 2U}) {
    REQUIRE(ordered.classify(id) == Arrival::fresh);
    ordered.store(id, pattern(id, 9));
    REQUIRE(unordered.classify(id) == Arrival::fresh);
    unordered.store(id, pattern(id, 9));
  }
  REQUIRE(ordered.front().empty());
  REQUIRE(copy_of(unordered.front()) == pattern(3, 9));
  unordered.pop();
  REQUIRE(copy_of(unordered.front()) == pattern(2, 9));
  unordered.pop();
  REQUIRE(unordered.front().empty());
  for (MessageReceiver* each : {&ordered, &unordered}) {
    REQUIRE(each->classify(3) == Arrival::duplicate);
    REQUIRE(each->classify(1) == Arrival::fresh);
    each->store(1, pattern(1, 9));
  }
  for (std::uint32_t id = 1; id <= 3; ++id) {
    REQUIRE(copy_of(ordered.front()) == pattern(id, 9));
    ordered.pop();
    REQUIRE(ordered.classify(id) == Arrival::duplicate);
  }
}

TEST_CASE("The limits of a channel's window are exact, and ids outside the window are refused",
          "[net][transport][sys-32]") {
  const Delivery delivery = GENERATE(Delivery::reliable_ordered, Delivery::reliable_unordered);
  MessageReceiver receiver(delivery);
  const std::uint32_t base = 70'001;  // Before this id, the sent 16 bits wrap.
  for (std::uint32_t id = 1; id < base; ++id) {
    REQUIRE(receiver.widen_id(static_cast<std::uint16_t>(id & 0xFFFFU)) == id);
    REQUIRE(receiver.classify(id) == Arrival::fresh);
    receiver.store(id, pattern(id, 1));
    receiver.pop();
  }
  REQUIRE(receiver.classify(base - 1) == Arrival::duplicate);
  REQUIRE(receiver.classify(base + kMessageWindow - 1) == Arrival::fresh);
  REQUIRE(receiver.classify(base + kMessageWindow) == Arrival::no_room);
  REQUIRE(receiver.classify(~0U) == Arrival::no_room);
  REQUIRE(receiver.widen_id(static_cast<std::uint16_t>((base + kWidenLimit - 1) & 0xFFFFU)) ==
          base + kWidenLimit - 1);
  REQUIRE(receiver.widen_id(static_cast<std::uint16_t>((base + kWidenLimit) & 0xFFFFU)) == 0);
  MessageReceiver fresh(delivery);
  REQUIRE(fresh.widen_id(0) == 0);
  REQUIRE(fresh.widen_id(65535) == 0);  // The id is below the first id.
}

TEST_CASE("Unread messages use no more than the window", "[net][transport][sys-32]") {
  const Delivery delivery =
      GENERATE(Delivery::unreliable, Delivery::reliable_unordered, Delivery::reliable_ordered);
  MessageReceiver receiver(delivery);
  for (std::uint32_t id = 1; id <= kMessageWindow; ++id) {
    REQUIRE(receiver.classify(id) == Arrival::fresh);
    receiver.store(id, pattern(id, 5));
  }
  REQUIRE(receiver.classify(kMessageWindow + 1) == Arrival::no_room);
  REQUIRE(copy_of(receiver.front()) == pattern(1, 5));
  receiver.pop();
  REQUIRE(receiver.classify(kMessageWindow + 1) == Arrival::fresh);
}

TEST_CASE("A channel delivers each message once, despite reordering and duplicates",
          "[net][transport][sys-32][sys-35]") {
  const Delivery delivery = GENERATE(Delivery::reliable_ordered, Delivery::reliable_unordered);
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  Random random(seed);
  MessageSender sender(0, {.delivery = delivery, .queue_bytes = 8000});
  MessageReceiver receiver(delivery);
  std::vector<WrittenMessage> air;
  std::set<NetBytes> read;
  std::uint32_t pushed = 0;
  const auto message_of = [](std::uint32_t number) { return pattern(number, 4 + number % 200); };
  const auto read_one = [&] {
    if (delivery == Delivery::reliable_ordered) {
      const auto number = static_cast<std::uint32_t>(read.size() + 1);
      REQUIRE(copy_of(receiver.front()) == message_of(number));
    }
    REQUIRE(read.insert(copy_of(receiver.front())).second);
    receiver.pop();
  };
  while (read.size() < 1500) {
    while (pushed < 1500 && sender.push(message_of(pushed + 1)) == SendStatus::queued) {
      ++pushed;
    }
    while (sender.has_pending()) air.push_back(write_next(sender));
    if (air.empty()) {
      // All messages in flight have arrived, so either the game reads or the sender gets the new
      // limit.
      if (!receiver.front().empty()) read_one();
      REQUIRE(receiver.limit() >= sender.limit());
      sender.allow_below(receiver.limit());
      continue;
    }
    const std::size_t at = random.below(air.size());
    const WrittenMessage message = air[at];
    if (random.below(4) != 0) air.erase(air.begin() + static_cast<std::ptrdiff_t>(at));
    if (random.below(3) == 0) {
      sender.lost(message.id);
      continue;
    }
    const Arrival arrival = receiver.classify(message.id);
    REQUIRE(arrival != Arrival::no_room);
    if (arrival == Arrival::fresh) receiver.store(message.id, message.bytes);
    sender.delivered(message.id);
    while (random.below(3) != 0 && !receiver.front().empty()) read_one();
    if (random.below(8) == 0) sender.allow_below(receiver.limit());
  }
  REQUIRE(receiver.front().empty());
}

}  // namespace
}  // namespace muster
