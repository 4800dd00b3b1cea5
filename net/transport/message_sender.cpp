#include "net/transport/message_sender.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace muster {

namespace {

constexpr std::size_t kNoRoom = ~std::size_t{0};

constexpr std::size_t length_bytes(std::size_t size) { return size < 128 ? 1 : 2; }

}  // namespace

MessageSender::MessageSender(std::uint8_t channel, const ChannelOptions& options)
    : channel_(channel), options_(options), bytes_(options.queue_bytes) {
  assert(channel < kChannelsMax);
  assert(options.weight >= 1);
  assert(options.weight <= 16);
}

/// Returns the offset for a message of `size` bytes, or `kNoRoom`. One byte always stays free, so
/// that `begin_ == end_` means empty.
std::size_t MessageSender::room_at_end(std::size_t size) const {
  if (end_ >= begin_) {
    if (bytes_.size() - end_ >= size + (begin_ == 0 ? 1 : 0)) return end_;
    return size < begin_ ? 0 : kNoRoom;
  }
  return size < begin_ - end_ ? end_ : kNoRoom;
}

SendStatus MessageSender::push(std::span<const std::byte> message) {
  if (message.empty()) return SendStatus::empty;
  // A message that does not fit into the empty ring could never be queued.
  if (message.size() > kMessageBytesMax || message.size() >= bytes_.size()) {
    return SendStatus::too_large;
  }
  if (waiting() >= kMessagesQueuedMax) return SendStatus::would_block;
  const std::size_t first = room_at_end(message.size());
  if (first == kNoRoom) return SendStatus::would_block;
  std::memcpy(bytes_.data() + first, message.data(), message.size());
  end_ = first + message.size();
  entries_.acquire(next_id_) = {.first = static_cast<std::uint32_t>(first),
                                .size = static_cast<std::uint16_t>(message.size()),
                                .state = State::queued};
  ++next_id_;
  return SendStatus::queued;
}

std::uint32_t MessageSender::next_pending() const {
  if (lost_count_ > 0) {
    for (std::uint32_t id = oldest_; id < next_new_; ++id) {
      if (entries_.find(id)->state == State::lost) return id;
    }
  }
  const bool in_window =
      !is_reliable() || (next_new_ - oldest_ < kMessageWindow && next_new_ < limit_);
  return next_new_ < next_id_ && in_window ? next_new_ : 0;
}

std::size_t MessageSender::pending_bytes() const {
  const Entry& entry = *entries_.find(next_pending());
  return 1 + (is_reliable() ? 2U : 0U) + length_bytes(entry.size) + entry.size;
}

std::uint32_t MessageSender::write_pending(SectionWriter& writer) {
  const std::uint32_t id = next_pending();
  assert(id != 0);
  Entry& entry = *entries_.find(id);
  const bool is_ordered = options_.delivery == Delivery::reliable_ordered;
  writer.write_u8(channel_ | (is_reliable() ? 8U : 0U) | (is_ordered ? 16U : 0U));
  if (is_reliable()) writer.write_u16(id & 0xFFFFU);
  if (entry.size < 128) {
    writer.write_u8(entry.size);
  } else {
    writer.write_u8((entry.size & 127U) | 128U);
    writer.write_u8(entry.size >> 7U);
  }
  writer.write_bytes(std::span(bytes_).subspan(entry.first, entry.size));
  if (entry.state == State::lost) {
    --lost_count_;
    ++resent_;
  } else {
    ++next_new_;
  }
  entry.state = is_reliable() ? State::in_flight : State::done;
  if (!is_reliable()) release_done();
  return id;
}

void MessageSender::delivered(std::uint32_t id) {
  if (id < oldest_ || id >= next_new_) return;
  Entry& entry = *entries_.find(id);
  if (entry.state == State::lost) --lost_count_;
  entry.state = State::done;
  release_done();
}

void MessageSender::lost(std::uint32_t id) {
  if (id < oldest_ || id >= next_new_) return;
  Entry& entry = *entries_.find(id);
  if (entry.state != State::in_flight) return;
  entry.state = State::lost;
  ++lost_count_;
}

void MessageSender::clear() {
  entries_.clear();
  begin_ = end_ = 0;
  oldest_ = next_new_ = next_id_ = 1;
  limit_ = kFirstMessageLimit;
  lost_count_ = 0;
}

std::uint32_t MessageSender::unconfirmed() const {
  std::uint32_t count = 0;
  for (std::uint32_t id = oldest_; id < next_id_; ++id) {
    if (entries_.find(id)->state != State::done) ++count;
  }
  return count;
}

void MessageSender::release_done() {
  while (oldest_ < next_new_ && entries_.find(oldest_)->state == State::done) ++oldest_;
  if (oldest_ == next_id_) {
    begin_ = end_ = 0;
  } else {
    begin_ = entries_.find(oldest_)->first;
  }
}

}  // namespace muster
