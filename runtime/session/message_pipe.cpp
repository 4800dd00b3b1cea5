#include "runtime/session/message_pipe.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>

#include "net/wire/byte_io.h"

namespace muster {
namespace {

constexpr std::size_t kPartBytesMax = kMessageBytesMax - 1;
/// In the first byte of a part: more parts of the message follow.
constexpr std::uint8_t kContinues = 0x80;
/// Parts whose memory is kept.
constexpr std::size_t kSpareMax = 16;
constexpr std::size_t kWelcomeBytes = 6 + 16 + 16 + 8 + 8;
constexpr std::size_t kTicketBytes = 8;

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
  put(kind, body);
  return true;
}

void MessagePipe::send_first(SessionMessage kind, std::span<const std::byte> body) {
  assert(!is_inside_);
  const auto count = static_cast<std::ptrdiff_t>(waiting_.size());
  put(kind, body);
  std::rotate(waiting_.begin(), waiting_.begin() + count, waiting_.end());
}

void MessagePipe::put(SessionMessage kind, std::span<const std::byte> body) {
  do {
    const std::span<const std::byte> part = body.first(std::min(body.size(), kPartBytesMax));
    body = body.subspan(part.size());
    const auto head = static_cast<std::uint8_t>(kind) | (body.empty() ? 0U : kContinues);
    std::vector<std::byte>& message = waiting_.emplace_back();
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
  while (!waiting_.empty()) {
    if (connection.send_message(kMessageChannel, waiting_.front()) != SendStatus::queued) return;
    pop_part();
  }
}

void MessagePipe::pop_part() {
  std::vector<std::byte>& part = waiting_.front();
  is_inside_ = (std::to_integer<std::uint8_t>(part.front()) & kContinues) != 0;
  waiting_bytes_ -= part.size();
  if (spare_.size() < kSpareMax) spare_.push_back(std::move(part));
  waiting_.pop_front();
}

void MessagePipe::drop_waiting() {
  waiting_.clear();
  waiting_bytes_ = 0;
  is_inside_ = false;
}

void MessagePipe::begin_map() {
  incoming_.clear();
  while (is_inside_ && !waiting_.empty()) pop_part();
  is_inside_ = false;
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
    return head >= 1 && head <= 4 ? Received::message : Received::malformed;
  }
}

std::vector<std::byte> encode(const Welcome& welcome) {
  std::array<std::byte, kWelcomeBytes> memory{};
  SectionWriter writer(memory);
  writer.write_u16(welcome.player);
  writer.write_u16(welcome.ticks_per_second);
  writer.write_u16(welcome.snapshot_ticks);
  writer.write_bytes(welcome.level);
  writer.write_bytes(welcome.placed);
  writer.write_u64(welcome.shared_seed);
  writer.write_u64(welcome.ticket);
  return {memory.begin(), memory.end()};
}

std::optional<Welcome> decode_welcome(std::span<const std::byte> bytes) {
  SectionReader reader(bytes);
  Welcome welcome;
  welcome.player = reader.read_u16();
  welcome.ticks_per_second = reader.read_u16();
  welcome.snapshot_ticks = reader.read_u16();
  reader.read_into(welcome.level);
  reader.read_into(welcome.placed);
  welcome.shared_seed = reader.read_u64();
  welcome.ticket = reader.read_u64();
  if (!reader.is_finished() || welcome.player == 0 || welcome.player == 0xFFFF ||
      welcome.ticks_per_second == 0 || welcome.ticks_per_second > 1000 ||
      welcome.snapshot_ticks == 0) {
    return std::nullopt;
  }
  return welcome;
}

std::vector<std::byte> encode_ticket(std::uint64_t ticket) {
  std::array<std::byte, kTicketBytes> memory{};
  SectionWriter writer(memory);
  writer.write_u64(ticket);
  return {memory.begin(), memory.end()};
}

std::uint64_t decode_ticket(std::span<const std::byte> bytes) {
  SectionReader reader(bytes);
  const std::uint64_t ticket = reader.read_u64();
  return reader.is_finished() ? ticket : 0;
}

}  // namespace muster
