// Channels: the kinds of messages, which both ends declare before they connect.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster {

/// The maximum number of channels: a message header has three bits for the channel.
inline constexpr std::size_t kChannelsMax = 8;
/// The maximum size of a message. It fits in every packet, so no message is split. Use blocks for
/// larger data.
inline constexpr std::size_t kMessageBytesMax = 1024;
/// The maximum number of messages in one packet.
inline constexpr std::size_t kMessagesPerPacketMax = 64;
/// The maximum number of messages of a reliable channel that are in flight or unread.
inline constexpr std::uint32_t kMessageWindow = 256;
/// The first message that a receiver does not accept before it sends a higher limit.
inline constexpr std::uint32_t kFirstMessageLimit = 1 + kMessageWindow;
/// A packet carries a new limit when it is at least this far above the last one sent. The rest of
/// the window still holds more messages than a packet, so a fast sender never waits.
inline constexpr std::uint32_t kLimitStep = kMessageWindow / 4;
/// At this distance a packet is sent just to report the new limit. The sender has used half its
/// window.
inline constexpr std::uint32_t kUrgentLimitStep = kMessageWindow / 2;
/// The maximum number of messages of a channel that wait to be sent or acknowledged.
inline constexpr std::uint32_t kMessagesQueuedMax = 1024;

/// How a channel delivers its messages.
enum class Delivery : std::uint8_t {
  unreliable,          ///< At most once, in any order. Dropped if too many are unread.
  reliable_unordered,  ///< Exactly once, on arrival.
  reliable_ordered,    ///< Exactly once, in the order of sending.
};

/// A channel as the game declares it. Both ends declare the same.
struct ChannelOptions {
  Delivery delivery = Delivery::reliable_ordered;
  /// Its share of a budget that is too small for all: 1 to 16. Payloads have 8, blocks have 1.
  std::uint8_t weight = 4;
  /// The maximum bytes of messages that wait to be sent or acknowledged.
  std::size_t queue_bytes = std::size_t{64} * 1024;
};

/// The result of a request to send. Data is dropped only with one of these results.
enum class [[nodiscard]] SendStatus : std::uint8_t{
    queued,
    would_block,  ///< The queue is full: try again after an acknowledgement.
    too_large,    ///< A message above `kMessageBytesMax` or the queue's size, a payload or block
                  ///< above its limit.
    empty,        ///< There are no bytes to send.
    closed,       ///< The connection has ended.
};

}  // namespace muster
