// Channels: the kinds of messages, which both ends declare before they connect.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster {

/// The maximum number of channels: a message header has three bits for the channel.
inline constexpr std::size_t kChannelsMax = 8;
/// The maximum size of a message. A message of this size fits in every packet, so no message is
/// split. Use blocks for larger data.
inline constexpr std::size_t kMessageBytesMax = 1024;
/// The maximum number of messages in one packet.
inline constexpr std::size_t kMessagesPerPacketMax = 64;
/// The maximum number of messages of a reliable channel that are in flight or unread.
inline constexpr std::uint32_t kMessageWindow = 256;
/// The initial limit of a reliable channel: a receiver accepts messages with ids below the limit.
inline constexpr std::uint32_t kFirstMessageLimit = 1 + kMessageWindow;
/// A packet carries the new limit of a channel when this limit is at least this much higher than
/// the last limit sent. The remaining window is larger than the messages of one packet, so a fast
/// sender never has to wait for a limit.
inline constexpr std::uint32_t kLimitStep = kMessageWindow / 4;
/// When the limit is at least this much higher than the last limit sent, a packet is sent even if
/// it contains only the new limit. At that point the sender may have used half of its window.
inline constexpr std::uint32_t kUrgentLimitStep = kMessageWindow / 2;
/// The maximum number of messages of a channel that wait to be sent or acknowledged.
inline constexpr std::uint32_t kMessagesQueuedMax = 1024;

/// How a channel delivers its messages.
enum class Delivery : std::uint8_t {
  unreliable,          ///< At most once, in any order. A message is dropped if too many are unread.
  reliable_unordered,  ///< Exactly once, on arrival.
  reliable_ordered,    ///< Exactly once, in the order of sending.
};

/// A channel as the game declares it. Both ends must declare the same channels.
struct ChannelOptions {
  Delivery delivery = Delivery::reliable_ordered;
  /// The channel's share of a budget that is too small for all data, from 1 to 16. Payloads have
  /// the weight 8, and blocks have the weight 1.
  std::uint8_t weight = 4;
  /// The maximum number of bytes in messages that wait to be sent or acknowledged.
  std::size_t queue_bytes = std::size_t{64} * 1024;
};

/// The result of a request to send. Data is queued only if the result is `queued`.
enum class [[nodiscard]] SendStatus : std::uint8_t{
    queued,
    would_block,  ///< The queue is full. Try again after an acknowledgement.
    too_large,    ///< The message, payload or block exceeds its limit, or the size of the queue.
    empty,        ///< There are no bytes to send.
    closed,       ///< The connection has ended.
};

}  // namespace muster
