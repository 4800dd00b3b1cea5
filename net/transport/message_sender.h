// The sending side of one channel: keeps messages until they are delivered, or just until sent.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/transport/channel.h"
#include "net/wire/byte_io.h"
#include "net/wire/sequence_buffer.h"

namespace muster {

/// The queue of one channel's messages. The connection takes one message after the other into its
/// packets and says of each what became of the packet. Allocates on construction only.
class MessageSender {
 public:
  MessageSender(std::uint8_t channel, const ChannelOptions& options);

  /// Queues a copy. `would_block` when the queue is full, by count or by bytes.
  SendStatus push(std::span<const std::byte> message);

  /// True when there is a message to write now: a lost one, or a new one within the window.
  bool has_pending() const { return next_pending() != 0; }
  /// The bytes that the next message takes in a packet, with its head. Requires: `has_pending()`.
  std::size_t pending_bytes() const;
  /// Writes it, and returns its id; it is on its way now (an unreliable one is gone). Requires:
  /// `has_pending()`, and room for `pending_bytes()`.
  std::uint32_t write_pending(SectionWriter& writer);

  /// The packet with this message arrived. Later ones of the same message say nothing.
  void delivered(std::uint32_t id);
  /// The packet with this message was lost: it is written again.
  void lost(std::uint32_t id);

  /// The receiver takes messages below this one. That only grows: what is lower is old news.
  void allow_below(std::uint32_t limit) { limit_ = std::max(limit_, limit); }
  /// As was told last, or is known from the start.
  std::uint32_t limit() const { return limit_; }

  /// Forgets all messages; their numbers begin anew.
  void clear();

  const ChannelOptions& options() const { return options_; }
  /// Messages that are queued or not yet known to have arrived.
  std::uint32_t waiting() const { return next_id_ - oldest_; }
  /// Those of them that are not known to have arrived.
  std::uint32_t unconfirmed() const;
  std::uint64_t resent() const { return resent_; }

 private:
  enum class State : std::uint8_t { queued, lost, on_the_way, done };
  struct Entry {
    std::uint32_t first = 0;  ///< Where its bytes begin in `bytes_`.
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
  /// A ring: messages lie in it one after the other, none across its end.
  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0;  ///< The oldest byte in use.
  std::size_t end_ = 0;    ///< Behind the newest one. Equal to `begin_` when empty.
  std::uint32_t oldest_ = 1;
  std::uint32_t next_new_ = 1;  ///< The first that was never written.
  std::uint32_t next_id_ = 1;
  std::uint32_t limit_ = kFirstMessageLimit;
  std::uint32_t lost_count_ = 0;
  std::uint64_t resent_ = 0;
};

}  // namespace muster
