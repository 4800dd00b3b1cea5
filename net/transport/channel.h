// Channels: what both ends of a connection know of each kind of message before it is sent.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster {

/// The three bits of a message's head.
inline constexpr std::size_t kChannelsMax = 8;
/// A message fits in every packet, so none is cut in pieces. Larger things are blocks.
inline constexpr std::size_t kMessageBytesMax = 1024;
/// Messages in one packet.
inline constexpr std::size_t kMessagesPerPacketMax = 64;
/// Messages of a reliable channel that are on their way or wait to be read at a time.
inline constexpr std::uint32_t kMessageWindow = 256;
/// The first message that a receiver does not take before it has told of more room.
inline constexpr std::uint32_t kFirstMessageLimit = 1 + kMessageWindow;
/// How much room there must be that a sender does not know of before a packet tells of it: what
/// remains of the window is more than a packet's messages, so that a fast sender is not held up.
inline constexpr std::uint32_t kLimitStep = kMessageWindow / 4;
/// And before a packet goes out for that alone: the sender has sent half a window by then.
inline constexpr std::uint32_t kUrgentLimitStep = kMessageWindow / 2;
/// Messages of a channel that wait to be sent or acknowledged.
inline constexpr std::uint32_t kMessagesQueuedMax = 1024;

/// How a channel treats its messages.
enum class Delivery : std::uint8_t {
  unreliable,          ///< At most once, in any order. Dropped when too many are not read.
  reliable_unordered,  ///< Exactly once, as soon as it arrives.
  reliable_ordered,    ///< Exactly once, in the order of sending.
};

/// A channel as the game declares it. Both ends declare the same.
struct ChannelOptions {
  Delivery delivery = Delivery::reliable_ordered;
  /// Its share when the budget does not suffice for all: 1 to 16. A payload has 8, blocks have 1.
  std::uint8_t weight = 4;
  /// The most bytes of messages that wait to be sent or acknowledged.
  std::size_t queue_bytes = std::size_t{64} * 1024;
};

/// What became of a wish to send. Nothing is dropped without one of these.
enum class [[nodiscard]] SendStatus : std::uint8_t{
    queued,
    would_block,  ///< The queue is full for now: try again when something was acknowledged.
    too_large,    ///< A message beyond `kMessageBytesMax` or the queue, a payload or block beyond
                  ///< its bound.
    empty,        ///< Nothing cannot be sent.
    closed,       ///< The connection has ended.
};

}  // namespace muster
