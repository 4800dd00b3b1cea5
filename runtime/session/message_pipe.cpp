#include "runtime/session/message_pipe.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>

#include "net/wire/section_writer.h"
#include "registry/base/bytes.h"

namespace muster {
namespace {

constexpr std::size_t kPartBytesMax = kMessageBytesMax - 1;
/// A flag in the first byte of a part. The flag is set if more parts of the message follow.
constexpr std::uint8_t kContinues = 0x80;
/// The maximum number of parts whose memory is kept.
constexpr std::size_t kSpareMax = 16;
constexpr std::size_t kWelcomeBytes = 6 + 16 + 16 + 8 + 8 + 2;
constexpr std::size_t kResumedBytes = 6;
constexpr std::size_t kTicketBytes = 8;

bool continues(std::span<const std::byte> part) {
  return (std::to_integer<std::uint8_t>(part.front()) & kContinues) != 0;
}

bool is_of_game(std::span<const std::byte> part) {
  constexpr std::uint8_t kKind = 0x7F;
  return (std::to_integer<std::uint8_t>(part.front()) & kKind) ==
         static_cast<std::uint8_t>(SessionMessage::game);
}

/// Counts the messages of the game by their last parts.
std::size_t game_messages_in(const std::deque<std::vector<std::byte>>& parts) {
  return static_cast<std::size_t>(std::ranges::count_if(
      parts, [](const auto& part) { return is_of_game(part) && !continues(part); }));
}

}  // namespace

ConnectionOptions session_connection() {
  ConnectionOptions options;
  options.channels = {{.delivery = Delivery::reliable_ordered},
                      {.delivery = Delivery::reliable_ordered},
                      {.delivery = Delivery::unreliable},
                      {.delivery = Delivery::unreliable, .weight = 16}};
  options.interrupted_after = std::chrono::seconds(3);
  options.closed_after = std::chrono::seconds(15);
  return options;
}

bool MessagePipe::send(SessionMessage kind, std::span<const std::byte> body) {
  if (body.size() > kSessionMessageBytesMax || waiting_bytes_ + body.size() > kPipeBytesMax) {
    return false;
  }
  put(is_resuming_ && kind == SessionMessage::game ? deferred_ : waiting_, kind, body);
  return true;
}

void MessagePipe::send_first(SessionMessage kind, std::span<const std::byte> body) {
  assert(!is_inside_);
  const auto count = static_cast<std::ptrdiff_t>(waiting_.size());
  put(waiting_, kind, body);
  std::rotate(waiting_.begin(), waiting_.begin() + count, waiting_.end());
}

void MessagePipe::put(Parts& parts, SessionMessage kind, std::span<const std::byte> body) {
  do {
    const std::span<const std::byte> part = body.first(std::min(body.size(), kPartBytesMax));
    body = body.subspan(part.size());
    const auto head = static_cast<std::uint8_t>(kind) | (body.empty() ? 0U : kContinues);
    std::vector<std::byte>& message = parts.emplace_back();
    if (!spare_.empty()) {
      message.swap(spare_.back());
      spare_.pop_back();
    }
    message.clear();
    message.push_back(static_cast<std::byte>(head));
    message.insert(message.end(), part.begin(), part.end());
    waiting_bytes_ += message.size();
  } while (!body.empty());
}

void MessagePipe::flush(Connection& connection) {
  forget_arrived(connection.unconfirmed(kMessageChannel));
  while (!waiting_.empty()) {
    if (connection.send_message(kMessageChannel, waiting_.front()) != SendStatus::queued) return;
    hand_over_part();
  }
}

void MessagePipe::hand_over_part() {
  std::vector<std::byte>& part = waiting_.front();
  is_inside_ = continues(part);
  waiting_bytes_ -= part.size();
  in_flight_.push_back(std::move(part));
  waiting_.pop_front();
}

void MessagePipe::drop_part() {
  std::vector<std::byte>& part = waiting_.front();
  is_inside_ = continues(part);
  waiting_bytes_ -= part.size();
  recycle(std::move(part));
  waiting_.pop_front();
}

/// Removes the messages that have arrived. All parts of a message are kept until the last part has
/// arrived.
void MessagePipe::forget_arrived(std::size_t unconfirmed) {
  std::size_t arrived = in_flight_.size() - std::min(in_flight_.size(), unconfirmed);
  for (;;) {
    std::size_t parts = 0;
    while (parts < arrived && continues(in_flight_[parts])) ++parts;
    if (parts == arrived) return;
    if (is_of_game(in_flight_[parts])) ++arrived_;
    for (++parts; parts > 0; --parts, --arrived) {
      recycle(std::move(in_flight_.front()));
      in_flight_.pop_front();
    }
  }
}

void MessagePipe::recycle(std::vector<std::byte>&& part) {
  if (spare_.size() < kSpareMax) spare_.push_back(std::move(part));
}

std::size_t MessagePipe::drop_all() {
  const std::size_t waiting = game_messages_in(waiting_);
  waiting_.clear();
  is_inside_ = false;
  const std::size_t count = waiting + forget();
  waiting_bytes_ = 0;
  return count;
}

std::size_t MessagePipe::begin_map() {
  incoming_.clear();
  const bool is_cut = is_inside_ && !waiting_.empty() && is_of_game(waiting_.front());
  while (is_inside_ && !waiting_.empty()) drop_part();
  is_inside_ = false;
  return forget() + (is_cut ? 1U : 0U);
}

std::size_t MessagePipe::forget() {
  const std::size_t count = game_messages_in(in_flight_) + game_messages_in(deferred_);
  in_flight_.clear();
  for (const auto& part : deferred_) waiting_bytes_ -= part.size();
  deferred_.clear();
  arrived_ = 0;
  received_ = 0;
  is_resuming_ = false;
  return count;
}

void MessagePipe::resume() {
  Parts kept;
  for (Parts* const parts : {&in_flight_, &waiting_, &deferred_}) {  // The oldest parts come first.
    for (auto& part : *parts) {
      if (is_of_game(part)) kept.push_back(std::move(part));
    }
    parts->clear();
  }
  deferred_ = std::move(kept);
  waiting_bytes_ = 0;
  for (const auto& part : deferred_) waiting_bytes_ += part.size();
  is_inside_ = false;
  incoming_.clear();
  is_resuming_ = true;
}

bool MessagePipe::go_on(std::uint32_t count) {
  if (!is_resuming_) return false;
  const std::size_t kept = game_messages_in(deferred_);
  if (count < arrived_ || count - arrived_ > kept) return false;
  for (; arrived_ != count; ++arrived_) {
    for (bool is_inside = true; is_inside; deferred_.pop_front()) {
      is_inside = continues(deferred_.front());
      waiting_bytes_ -= deferred_.front().size();
      recycle(std::move(deferred_.front()));
    }
  }
  for (auto& part : deferred_) waiting_.push_back(std::move(part));
  deferred_.clear();
  is_resuming_ = false;
  return true;
}

MessagePipe::Received MessagePipe::receive(Connection& connection, SessionMessage& kind,
                                           std::span<const std::byte>& body) {
  for (;;) {
    const std::span<const std::byte> part = connection.message(kMessageChannel);
    if (part.empty()) return Received::nothing;
    const auto head = std::to_integer<std::uint8_t>(part.front());
    const bool is_too_large = incoming_.size() + part.size() > kSessionMessageBytesMax;
    if (!is_too_large) incoming_.insert(incoming_.end(), part.begin() + 1, part.end());
    connection.pop_message(kMessageChannel);
    if (is_too_large) return Received::malformed;
    if ((head & kContinues) != 0) continue;
    complete_.swap(incoming_);
    incoming_.clear();
    kind = static_cast<SessionMessage>(head);
    body = complete_;
    if (kind == SessionMessage::game) ++received_;
    return head >= 1 && head <= 5 ? Received::message : Received::malformed;
  }
}

std::vector<std::byte> encode(const Welcome& welcome) {
  std::array<std::byte, kWelcomeBytes> memory{};
  SectionWriter writer(memory);
  writer.write_u16(static_cast<std::uint16_t>(welcome.player));
  writer.write_u16(welcome.ticks_per_second);
  writer.write_u16(welcome.snapshot_ticks);
  writer.write_bytes(welcome.level);
  writer.write_bytes(welcome.placed);
  writer.write_u64(welcome.shared_seed);
  writer.write_u64(welcome.ticket.value());
  writer.write_u16(welcome.map);
  return {memory.begin(), memory.end()};
}

std::optional<Welcome> decode_welcome(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  Welcome welcome;
  const std::uint16_t player = reader.u16();
  welcome.player = PlayerId(player);
  welcome.ticks_per_second = reader.u16();
  welcome.snapshot_ticks = reader.u16();
  reader.read_into(welcome.level);
  reader.read_into(welcome.placed);
  welcome.shared_seed = reader.u64();
  welcome.ticket = AccountId(reader.u64());
  welcome.map = reader.u16();
  if (!reader.is_finished() || player == 0 || player == 0xFFFF || welcome.ticks_per_second == 0 ||
      welcome.ticks_per_second > 1000 || welcome.snapshot_ticks == 0) {
    return std::nullopt;
  }
  return welcome;
}

std::vector<std::byte> encode(const Resumed& resumed) {
  std::array<std::byte, kResumedBytes> memory{};
  SectionWriter writer(memory);
  writer.write_u16(resumed.map);
  writer.write_u32(resumed.count);
  return {memory.begin(), memory.end()};
}

std::optional<Resumed> decode_resumed(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  Resumed resumed;
  resumed.map = reader.u16();
  resumed.count = reader.u32();
  if (!reader.is_finished()) return std::nullopt;
  return resumed;
}

std::vector<std::byte> encode_ticket(AccountId ticket) {
  std::array<std::byte, kTicketBytes> memory{};
  SectionWriter writer(memory);
  writer.write_u64(ticket.value());
  return {memory.begin(), memory.end()};
}

AccountId decode_ticket(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const AccountId ticket(reader.u64());
  return reader.is_finished() ? ticket : AccountId();
}

}  // namespace muster
