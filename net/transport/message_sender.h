// The sending side of one channel: keeps reliable messages until they are delivered, and unreliable
// messages until they are sent.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/transport/channel.h"
#include "net/wire/section_writer.h"
#include "net/wire/sequence_buffer.h"

namespace muster {

/// The queue of messages of one channel. The connection writes messages into packets, and reports
/// whether each packet was delivered or lost. Allocates on construction only.
class MessageSender {
 public:
  MessageSender(std::uint8_t channel, const ChannelOptions& options);

  /// Queues a copy. Returns `would_block` when the queue is full, by count or by bytes.
  SendStatus push(std::span<const std::byte> message);

  /// True when a message can be written now: a lost message, or a new message within the window.
  bool has_pending() const { return next_pending() != 0; }
  /// The size of the next message and its header in a packet, in bytes. Requires: `has_pending()`.
  std::size_t pending_bytes() const;
  /// Writes the next message and returns its id. A reliable message is then in flight. An
  /// unreliable message is removed. Requires: `has_pending()` is true, and `pending_bytes()` fit
  /// into the packet.
  std::uint32_t write_pending(SectionWriter& writer);

  /// Records that a packet with this message was delivered. Further calls for the same message do
  /// nothing.
  void delivered(std::uint32_t id);
  /// Records that a packet with this message was lost. If the message is reliable, it will be
  /// written again.
  void lost(std::uint32_t id);

  /// Records that the receiver accepts messages with ids below `limit`. A lower limit than before
  /// is ignored.
  void allow_below(std::uint32_t limit) { limit_ = std::max(limit_, limit); }
  /// The last limit that the receiver reported, or the initial limit.
  std::uint32_t limit() const { return limit_; }

  /// Removes all messages. The ids start again at 1.
  void clear();

  const ChannelOptions& options() const { return options_; }
  /// The number of messages from the oldest message that is queued or in flight to the newest
  /// message.
  std::uint32_t waiting() const { return next_id_ - oldest_; }
  /// The number of messages that are queued or in flight.
  std::uint32_t unconfirmed() const;
  std::uint64_t resent() const { return resent_; }

 private:
  enum class State : std::uint8_t { queued, lost, in_flight, done };
  struct Entry {
    std::uint32_t first = 0;  ///< The offset of the message's bytes in `bytes_`.
    std::uint16_t size = 0;
    State state = State::done;
  };

  bool is_reliable() const { return options_.delivery != Delivery::unreliable; }
  std::uint32_t next_pending() const;
  std::size_t room_at_end(std::size_t size) const;
  void release_done();

  std::uint8_t channel_;
  ChannelOptions options_;
  SequenceBuffer<Entry> entries_{kMessagesQueuedMax};
  /// A ring buffer of messages. No message wraps around its end.
  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0;  ///< The offset of the oldest byte in use.
  /// The offset after the newest byte; equal to `begin_` if the ring is empty.
  std::size_t end_ = 0;
  std::uint32_t oldest_ = 1;
  std::uint32_t next_new_ = 1;  ///< The id of the first message that was never written.
  std::uint32_t next_id_ = 1;
  std::uint32_t limit_ = kFirstMessageLimit;
  std::uint32_t lost_count_ = 0;
  std::uint64_t resent_ = 0;
};

}  // namespace muster
