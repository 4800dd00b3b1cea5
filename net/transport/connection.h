// One end of a connection: writes and reads packets. The class has no socket, no clock and no
// cipher. net/WIRE_FORMAT.md defines the bytes, and net/CONNECTION.md defines the behaviour.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/transport/block_sender.h"
#include "net/transport/channel.h"
#include "net/transport/connection_counters.h"
#include "net/transport/path_time.h"
#include "net/transport/received_packets.h"
#include "net/transport/send_rate.h"

namespace muster {

/// The options of a connection. Both ends must declare the same channels.
struct ConnectionOptions {
  std::vector<ChannelOptions> channels{};
  SendRateLimits rate{};
  /// The size of the largest block that is accepted from the peer. All incomplete and unread blocks
  /// together have at most twice this size.
  std::size_t block_bytes_max = std::size_t{16} * 1024 * 1024;
  /// The size of the largest datagram that this end sends and accepts.
  std::size_t datagram_bytes_max = kDatagramBytesMax;
  /// The bytes of a datagram besides the packet's body: header and authentication tag.
  std::size_t overhead_bytes = 7 + 16;
  /// True if this end starts the maps, as a server does. The peer then changes to the same map.
  bool leads_maps = false;
  Duration interrupted_after = std::chrono::seconds(5);
  Duration closed_after = std::chrono::seconds(35);
};

/// Why a connection ended. The values are sent in packets.
enum class CloseReason : std::uint8_t {
  none = 0,
  left = 1,       ///< The game closed the connection.
  kicked = 2,     ///< The server closed the connection.
  timed_out = 3,  ///< Nothing arrived for too long.
  malformed = 4,  ///< The peer broke the protocol.
  forged = 5,     ///< Too many packets had a broken seal.
  exhausted = 6,  ///< All sequence numbers are used.
  shutting_down = 7,
  no_answer = 8,  ///< The connection was never established.
  refused = 9,    ///< The handshake was refused. `Close::text` contains the reason.
};

/// The types of items in the control section of a packet.
enum class ControlItem : std::uint8_t {
  ping = 1,
  path_challenge = 2,
  path_response = 3,
  probe = 4,
  close = 5,
  block_refused = 6,
  map = 7,
  channel_limit = 8,
};
inline constexpr std::size_t kControlItemsMax = 16;

/// How a connection ended.
struct Close {
  CloseReason reason = CloseReason::none;
  bool by_peer = false;
  std::string text;  ///< Readable text; at most `kCloseTextBytesMax` bytes.
};
inline constexpr std::size_t kCloseTextBytesMax = 128;

/// The delivery report of a payload. A payload whose map has ended is reported as not delivered,
/// even if its packet arrived. A payload that is in flight when the connection ends is also
/// reported as not delivered.
struct DeliveryReport {
  std::uint64_t tag = 0;  ///< The tag passed to `send_payload`.
  /// The number of the packet that carried the payload; 0 if it was never sent.
  std::uint32_t sequence = 0;
  bool delivered = false;
};

/// A received payload.
struct ReceivedPayload {
  std::uint32_t sequence = 0;  ///< The number of the packet that carried the payload.
  std::span<const std::byte> bytes;
};

/// The result of reading a packet.
enum class [[nodiscard]] PacketVerdict : std::uint8_t{
    received,
    malformed,     ///< Rejected, because it violates the format.
    unbelievable,  ///< Rejected, because it acknowledges a packet that was never sent.
    /// Rejected, because too much data is unread. The peer sends its reliable contents again.
    no_room,
};

/// The state of a connection.
enum class ConnectionState : std::uint8_t { connected, interrupted, closed };

/// The minimum allowance for which a packet is sent, in bytes. A smaller packet would mostly
/// consist of its header.
inline constexpr std::size_t kAllowedMin = 150;
constexpr bool is_worth_a_packet(std::int64_t allowance) {
  return allowance >= static_cast<std::int64_t>(kAllowedMin);
}

/// One end of an established connection. Only one thread at a time may use this object. The options
/// limit its memory. Memory is allocated on construction and when a queue grows for the first time,
/// and not later.
///
/// Once per tick, pass received packets to `classify` and `read_packet`. Read messages, payloads,
/// blocks and delivery reports. Queue data to send, with payloads no larger than `budget`. Then
/// call:
///
///     connection.tick(now);
///     while (connection.wants_to_send(now)) send(connection.write_packet(now, memory));
class Connection {
 public:
  Connection(const ConnectionOptions& options, Time now);
  ~Connection();
  /// A moved-from connection can only be destroyed or assigned to.
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;

  /// Queues a copy of a message. Requires: the channel is declared.
  SendStatus send_message(std::size_t channel, std::span<const std::byte> message);
  /// The number of messages of a reliable channel from the oldest undelivered message to the newest
  /// message. Requires: the channel is declared.
  std::size_t unconfirmed(std::size_t channel) const;
  /// Queues a copy of a payload of at most `payload_bytes_max()` bytes. The payload is sent once.
  /// `delivery_reports` reports the result with this tag.
  SendStatus send_payload(std::span<const std::byte> payload, std::uint64_t tag);
  /// Begins a block. The caller must keep the bytes until the block is in `finished_blocks()`.
  SendStatus send_block(std::span<const std::byte> block, std::uint16_t& id);

  /// Begins the next map and ends the current one in both directions. Waiting and unread data is
  /// dropped and counted (`lost_at_map`, `unread_at_map`). Payloads in flight are reported as lost,
  /// and blocks finish with `BlockRefusal::map_over`. The peer does the same when the first packet
  /// of the new map arrives, before the peer reads the contents of this packet. Requires:
  /// `leads_maps`.
  void begin_map();
  /// The number of the current map, which counts from 0 and wraps. If this end does not lead,
  /// `read_packet` can change the number. The game must then leave its current map, and all spans
  /// that it obtained before that call are invalid.
  std::uint16_t map() const;

  /// The bytes of payloads that can be sent now, minus the payloads that already wait. If the
  /// budget is not 0, a larger payload may be queued. The payload is sent whole. The connection
  /// then sends nothing else for the time that the excess bytes need at the current rate. Queue a
  /// payload that cannot be split as soon as the budget is not 0. On a slow path, or with a small
  /// share of a server's cap, the budget may never reach the payload's size.
  ///
  /// A game may call this function at any time of its tick. A call after sending returns the budget
  /// of the next tick. Loops of 4 Hz and faster can use the whole rate.
  std::size_t budget(Time now) const;
  /// Sets the allowance: the bytes of game data that may be sent from now on. The allowance also
  /// limits `budget`. A server uses the allowance to share a cap among connections. The last packet
  /// may exceed the allowance. Urgent packets are always sent, and are also subtracted from the
  /// allowance. By default there is no limit.
  void allow(std::int64_t bytes);
  /// The largest payload that fits into one packet on this path.
  std::size_t payload_bytes_max() const;

  /// Finds lost packets and timeouts. Call this function once per tick, before sending.
  void tick(Time now);
  /// True when a packet should be sent now.
  bool wants_to_send(Time now) const;
  /// Writes the body of the packet `next_sequence()`, and counts it as sent. The result is a part
  /// of `memory` and never empty. Requires: `memory` has room for the body of the largest datagram.
  std::span<const std::byte> write_packet(Time now, std::span<std::byte> memory);
  std::uint32_t next_sequence() const;
  /// The highest number of a sent packet that was acknowledged; 0 at first.
  std::uint32_t highest_delivered() const;

  /// Classifies a packet before its seal is opened. If the full number cannot be restored, because
  /// it is too far from the highest received number, pass no number.
  Reception classify(std::optional<std::uint32_t> sequence);
  std::uint32_t highest_received() const;
  /// Reads a packet whose seal is valid. `datagram_bytes` is the size of its datagram. Applies
  /// either the whole packet or no part of it. Requires: `classify(sequence) == Reception::fresh`.
  PacketVerdict read_packet(Time now, std::uint32_t sequence, std::size_t datagram_bytes,
                            std::span<const std::byte> body);

  /// The next message of a channel; empty if none waits. Valid until `pop_message`.
  std::span<const std::byte> message(std::size_t channel) const;
  void pop_message(std::size_t channel);
  /// The next payload; its bytes are empty if no payload waits. Valid until `pop_payload`.
  ReceivedPayload payload() const;
  void pop_payload();
  /// True while unread payloads or blocks stop the peer. A stop begins when a packet is rejected
  /// because too many payloads or blocks are unread. The stop ends when the game has read all
  /// payloads and blocks. `unread_stops` counts the stops, and `no_room_in` the rejected packets.
  bool is_stopped_unread() const;
  /// The next complete block; empty if none waits. Valid until `pop_block`.
  std::span<const std::byte> block() const;
  void pop_block();
  /// The delivery reports of payloads since `clear_delivery_reports`, in the order of their events.
  /// At most 2,048 are kept; further reports are dropped and counted (`delivery_reports_unread`).
  std::span<const DeliveryReport> delivery_reports() const;
  void clear_delivery_reports();
  /// The sent blocks that were delivered, were refused, or ended with a map or the connection,
  /// since `clear_finished_blocks`.
  std::span<const SentBlock> finished_blocks() const;
  void clear_finished_blocks();
  /// Removes a block from `finished_blocks()` and returns it. Returns nothing if
  /// `finished_blocks()` does not contain it. Use this function when several parts of a program
  /// send blocks over one connection.
  std::optional<SentBlock> release_finished_block(std::uint16_t id);

  /// Ends the connection and notifies the peer. The text is cut at `kCloseTextBytesMax` bytes.
  void close(CloseReason reason, std::string_view text, Time now);
  ConnectionState state() const;
  /// How the connection ended; empty while it is alive.
  const std::optional<Close>& end() const;

  /// Writes a packet with this path challenge, to validate the peer's address. `drain_path_answer`
  /// removes and returns the last response.
  std::span<const std::byte> write_path_challenge(Time now, std::uint64_t challenge,
                                                  std::span<std::byte> memory);
  std::optional<std::uint64_t> drain_path_answer();
  /// Drops all measurements of the path. Call this function when the peer has a new address.
  void path_changed();

  const RoundTrip& round_trip() const;
  const PeerClock& peer_clock() const;
  const SendRate& rate() const;
  std::size_t datagram_bytes() const;
  ConnectionCounters counters() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster
