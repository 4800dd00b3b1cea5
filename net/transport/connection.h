// One end of a connection: writes packets and reads packets. It has no socket, no clock and no
// cipher. net/WIRE_FORMAT.md defines the bytes, net/CONNECTION.md the behaviour.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/transport/block_receiver.h"
#include "net/transport/block_sender.h"
#include "net/transport/call_rhythm.h"
#include "net/transport/channel.h"
#include "net/transport/connection_counters.h"
#include "net/transport/map_turns.h"
#include "net/transport/message_receiver.h"
#include "net/transport/message_sender.h"
#include "net/transport/packet_parts.h"
#include "net/transport/path_size.h"
#include "net/transport/path_time.h"
#include "net/transport/payload_queue.h"
#include "net/transport/received_packets.h"
#include "net/transport/send_rate.h"
#include "net/transport/send_schedule.h"
#include "net/transport/sent_packets.h"

namespace muster {

/// The options of a connection. Both ends must declare the same channels.
struct ConnectionOptions {
  std::vector<ChannelOptions> channels{};
  SendRateLimits rate{};
  /// The largest block that is accepted from the peer. All blocks that arrive or are unread are
  /// together at most twice that.
  std::size_t block_bytes_max = std::size_t{16} * 1024 * 1024;
  /// The largest datagram that this end sends and accepts.
  std::size_t datagram_bytes_max = kDatagramBytesMax;
  /// Bytes of a datagram around the body: header and tag.
  std::size_t overhead_bytes = 7 + 16;
  /// Whether this end starts maps and the peer follows. True for a server.
  bool leads_maps = false;
  Duration interrupted_after = std::chrono::seconds(5);
  Duration closed_after = std::chrono::seconds(35);
};

/// Why a connection ended; a wire value.
enum class CloseReason : std::uint8_t {
  none = 0,
  left = 1,       ///< The game closed it.
  kicked = 2,     ///< The server closed it.
  timed_out = 3,  ///< Nothing arrived for too long.
  malformed = 4,  ///< The peer broke the protocol.
  forged = 5,     ///< Too many packets had a broken seal.
  exhausted = 6,  ///< All sequence numbers are used.
  shutting_down = 7,
  no_answer = 8,  ///< The connection was never established.
  refused = 9,    ///< The handshake was refused; see the text.
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

/// The delivery report of a payload. It is not delivered if its map ended, even if its packet
/// arrived. A payload in flight when the connection ends is reported as not delivered.
struct DeliveryReport {
  std::uint64_t tag = 0;       ///< The tag passed to `send_payload`.
  std::uint32_t sequence = 0;  ///< The packet that carried it; 0: none.
  bool delivered = false;
};

/// A received payload.
struct ReceivedPayload {
  std::uint32_t sequence = 0;  ///< The packet that carried it.
  std::span<const std::byte> bytes;
};

/// The result of reading a packet.
enum class [[nodiscard]] PacketVerdict : std::uint8_t{
    received,
    malformed,     ///< Breaks the format. Not received.
    unbelievable,  ///< Acknowledges a packet that was never sent. Not received.
    no_room,       ///< The game must read first. Not received; its contents are sent again.
};

/// The state of a connection.
enum class ConnectionState : std::uint8_t { connected, interrupted, closed };

/// The minimum allowance, in bytes, that is worth a packet: most of a smaller one is its header.
inline constexpr std::size_t kAllowedMin = 150;
constexpr bool is_worth_a_packet(std::int64_t allowance) {
  return allowance >= static_cast<std::int64_t>(kAllowedMin);
}

/// One end of an established connection. One thread at a time. The options bound its memory. Memory
/// is allocated on construction or at first use; nothing is allocated in steady state.
///
/// Once per tick: pass received packets to `classify` and `read_packet`; read messages, payloads,
/// blocks and delivery reports; queue data to send, payloads within `budget`; then
///
///     connection.tick(now);
///     while (connection.wants_to_send(now)) send(connection.write_packet(now, memory));
class Connection {
 public:
  Connection(const ConnectionOptions& options, Time now);

  /// Queues a copy of a message. Requires: a declared channel.
  SendStatus send_message(std::size_t channel, std::span<const std::byte> message);
  /// Queues a copy of a payload of at most `payload_bytes_max()` bytes. It is sent once;
  /// `delivery_reports` reports the result with this tag.
  SendStatus send_payload(std::span<const std::byte> payload, std::uint64_t tag);
  /// Begins a block. The caller keeps its bytes until it is in `finished_blocks()`.
  SendStatus send_block(std::span<const std::byte> block, std::uint16_t& id);

  /// Begins the next map and ends the current one in both directions. Waiting and unread data is
  /// dropped (`lost_at_map`, `unread_at_map`), payloads in flight are reported lost, and blocks
  /// finish with `BlockRefusal::map_over`. The peer does the same when the first packet of the new
  /// map arrives, before it reads anything of the new map. Requires: `leads_maps`.
  void begin_map();
  /// The current map: counts from 0 and wraps. At the end that does not lead, a change means that
  /// the game must leave the map; spans obtained before `read_packet` are then invalid.
  std::uint16_t map() const { return maps_.present(); }

  /// Bytes of payload that can be sent now, minus the payloads that already wait. If it is not 0, a
  /// payload may be larger than the budget: it is sent whole, and the excess is paid before
  /// anything else is sent. A payload that cannot be split should be queued then. On a slow path or
  /// with a small share of a server's cap the budget may never reach its size.
  ///
  /// A game may call this at any time of its tick. After sending, it returns the budget for the
  /// next send. Loops of 4 Hz and faster use the whole rate.
  std::size_t budget(Time now) const;
  /// Limits the bytes of game data that are sent from now on, and `budget` with it. For a server
  /// that shares a cap among connections. One packet may exceed the rest of the allowance. Urgent
  /// packets are sent in any case, and count. Without a call there is no limit.
  void allow(std::int64_t bytes) { allowed_ = bytes; }
  /// The largest payload that fits into one packet on this path.
  std::size_t payload_bytes_max() const;

  /// Finds lost packets and timeouts. Call it once per tick, before sending.
  void tick(Time now);
  /// True when a packet should be sent now.
  bool wants_to_send(Time now) const;
  /// Writes the body of the packet `next_sequence()`, and counts it as sent. The result is a part
  /// of `memory` and never empty. Requires: memory for the body of the largest datagram.
  std::span<const std::byte> write_packet(Time now, std::span<std::byte> memory);
  std::uint32_t next_sequence() const { return sent_.next_sequence(); }
  /// The highest sent number that is known to have arrived; 0: none.
  std::uint32_t highest_delivered() const { return sent_.highest_delivered(); }

  /// Classifies a packet before its seal is opened. No number means that it was too far from all
  /// received numbers to be restored.
  Reception classify(std::optional<std::uint32_t> sequence);
  std::uint32_t highest_received() const { return received_.highest(); }
  /// Reads a packet whose seal is valid. `datagram_bytes` is the size of its datagram. Applies the
  /// whole packet or nothing. Requires: `classify(sequence) == Reception::fresh`.
  PacketVerdict read_packet(Time now, std::uint32_t sequence, std::size_t datagram_bytes,
                            std::span<const std::byte> body);

  /// The next message of a channel, or an empty span. Valid until `pop_message`.
  std::span<const std::byte> message(std::size_t channel) const;
  void pop_message(std::size_t channel);
  /// The next payload; without bytes if none is unread. Valid until `pop_payload`.
  ReceivedPayload payload() const;
  void pop_payload();
  /// True while unread payloads or blocks stop the peer: from the first packet refused for this
  /// reason until the game has read all payloads and blocks. `unread_stops` counts each stop once,
  /// `no_room_in` each refused packet.
  bool is_stopped_unread() const { return is_stopped_unread_; }
  /// The next complete block, or an empty span. Valid until `pop_block`.
  std::span<const std::byte> block() const { return blocks_in_.front(); }
  void pop_block();
  /// The delivery reports of payloads since `clear_delivery_reports`, in the order of their events.
  /// At most 2,048 are kept; more are only counted (`delivery_reports_unread`).
  std::span<const DeliveryReport> delivery_reports() const { return delivery_reports_; }
  void clear_delivery_reports() { delivery_reports_.clear(); }
  /// Sent blocks that were delivered, refused or ended with a map or the connection, since
  /// `clear_finished_blocks`.
  std::span<const SentBlock> finished_blocks() const { return blocks_out_.finished(); }
  void clear_finished_blocks() { blocks_out_.clear_finished(); }
  /// Removes a block from `finished_blocks()` and returns it, for a caller that shares the
  /// connection; nothing if it is not there.
  std::optional<SentBlock> release_finished_block(std::uint16_t id) {
    return blocks_out_.release_finished(id);
  }

  /// Ends the connection and notifies the peer. The text is cut at `kCloseTextBytesMax` bytes.
  void close(CloseReason reason, std::string_view text, Time now);
  ConnectionState state() const { return state_; }
  /// How the connection ended; empty while it is alive.
  const std::optional<Close>& end() const { return end_; }

  /// Address validation: writes a packet with a path challenge of these bytes. `drain_path_answer`
  /// returns the last response.
  std::span<const std::byte> write_path_challenge(Time now, std::uint64_t challenge,
                                                  std::span<std::byte> memory);
  std::optional<std::uint64_t> drain_path_answer();
  /// The peer has a new address: forgets all measurements of the path.
  void path_changed();

  const RoundTrip& round_trip() const { return round_trip_; }
  const PeerClock& peer_clock() const { return peer_clock_; }
  const SendRate& rate() const { return rate_; }
  std::size_t datagram_bytes() const { return path_size_.bytes(); }
  ConnectionCounters counters() const;

 private:
  struct Incoming;     // The parts of a received packet.
  struct PacketDraft;  // A packet that is being written.

  // connection_write.cpp
  bool has_content() const;
  bool has_due_content(Time now) const;
  bool is_deferred(std::size_t source, Time now) const;
  std::size_t wanted_probe(Time now) const;
  bool is_answer_due(Time now) const;
  bool is_content_allowed() const;
  bool may_send_content(Time now) const;
  bool has_room_for_part() const;
  void acknowledge_owed(PacketDraft& draft);
  static std::uint16_t hold_units(Duration hold);
  void write_control(PacketDraft& draft, Time now, std::size_t probe_bytes);
  void write_refusals(PacketDraft& draft);
  void add_contents(PacketDraft& draft, std::size_t budget);
  void write_map(PacketDraft& draft);
  void write_limits(PacketDraft& draft);
  void write_limit(PacketDraft& draft, std::size_t channel);
  bool is_ready(std::size_t source, const PacketDraft& draft, std::size_t room) const;
  void add_from(std::size_t source, PacketDraft& draft, std::size_t room);
  void add_part(PacketDraft& draft, const PacketPart& part);
  PacketHeader next_header(Time now) const;
  std::span<const std::byte> finish_packet(Time now, PacketDraft& draft,
                                           std::span<std::byte> memory);

  // connection_read.cpp
  bool parse(std::span<const std::byte> sections, std::uint8_t which, std::size_t datagram_bytes,
             Incoming& incoming) const;
  bool parse_control(SectionReader& reader, std::size_t datagram_bytes, Incoming& incoming) const;
  bool parse_limit(SectionReader& reader, Incoming& incoming) const;
  bool parse_messages(SectionReader& reader, Incoming& incoming) const;
  PacketVerdict check_contents(Incoming& incoming) const;
  PacketVerdict check_room(const Incoming& incoming) const;
  void apply_header(Time now, std::uint32_t sequence, const PacketHeader& header,
                    std::uint32_t ack);
  bool measure_round_trip(Time now, Duration sample, std::uint16_t hold_units, Duration silence);
  Duration clock_slack(Time now) const;
  Duration without_clock(Time now, Duration reported);
  void keep_owed_ack(std::uint32_t sequence);
  void apply_control(const Incoming& incoming);
  void note_no_room();
  void apply_parts(Time now, std::uint32_t sequence, const Incoming& incoming);
  void refuse_block(std::uint16_t id, BlockRefusal reason);
  void give_up_stalled_blocks(Time now);
  void apply_refusals(const Incoming& incoming);
  void apply_limits(const Incoming& incoming);

  // connection.cpp
  std::size_t payload_heads() const;
  std::size_t standing_bytes() const;
  std::size_t waiting_bytes() const;
  bool has_fitting_payload() const;
  bool has_room_for_payload() const;
  void drop_unfit_payloads();
  void settle(Time now);
  void report_delivery(const ResolvedPacket& packet, bool delivered);
  void drop_payload();
  void end_unread_stop();
  void settle_part(const PacketPart& part, std::uint32_t sequence, bool delivered);
  void leave_map();
  void refusal_is_known(std::uint16_t id);
  void settle_limit(const PacketPart& part, std::uint32_t sequence, bool delivered);
  void finish(CloseReason reason, bool by_peer, std::string_view text);

  ConnectionOptions options_;
  ConnectionState state_ = ConnectionState::connected;
  std::optional<Close> end_;

  ReceivedPackets received_;
  SentPackets sent_;
  RoundTrip round_trip_;
  PeerClock peer_clock_;
  SendRate rate_;
  PathSize path_size_;
  SendSchedule schedule_;
  MapTurns maps_;
  PacketParts parts_;

  std::vector<MessageSender> messages_out_;
  std::vector<MessageReceiver> messages_in_;
  BlockSender blocks_out_;
  BlockReceiver blocks_in_;
  PayloadQueue payloads_out_;
  PayloadQueue payloads_in_;
  bool is_stopped_unread_ = false;
  std::vector<DeliveryReport> delivery_reports_;

  std::int64_t allowed_ = std::numeric_limits<std::int64_t>::max();  ///< Bytes, set by `allow`.

  CallRhythm ticks_;
  mutable CallRhythm asks_;  ///< When the game asked for its budget.

  Time last_arrival_{};
  Time highest_arrival_{};  ///< Arrival of the packet with the highest number.
  Time last_departure_{};
  Time last_full_payload_{};  ///< When a payload last used almost the whole budget.
  Time last_choke_{};
  Time probe_from_{};  ///< No probes before this time, because the rate is not measured
                       ///< yet.
  std::uint32_t peer_knows_to_ = 0;    ///< The peer is known to have the acknowledgement of all
                                       ///< packets up to this one.
  std::uint32_t acknowledged_to_ = 0;  ///< Our last packet, or an owed acknowledgement,
                                       ///< acknowledges up to this one.
  struct OwedAck {
    std::uint32_t ack = 0;
    AckMask mask;
    Time arrived_at{};
  };
  /// Enough for more packets than an honest peer has in flight.
  std::array<OwedAck, kPacketsInFlightMax / kAckWindow + 1> owed_acks_{};
  std::size_t owed_ack_count_ = 0;
  unsigned unanswered_ = 0;  ///< Received packets that need an answer, since our last packet.
  Time unanswered_since_{};
  Duration delay_min_{};  ///< The minimum delay of received packets, since our last packet.
  bool has_delay_min_ = false;
  /// Until this time a recent outage or sleep makes the clocks suspect.
  Time clocks_doubted_until_{};
  Duration reported_delay_min_ = Duration::max();  ///< The minimum delay that the peer reported
                                                   ///< since then.
  Duration reported_delay_{};                      ///< The last delay that the peer reported.

  std::array<std::uint64_t, 4> path_challenges_{};  ///< To be answered.
  std::size_t path_challenge_count_ = 0;
  std::optional<std::uint64_t> path_answer_;
  /// Sent in every packet until one is delivered. So a packet that confirms the chunks of a refused
  /// block also carries the refusal, and the sender never reports that block as delivered.
  std::array<RefusedBlock, 2 * kBlocksAtOnce> refusals_{};
  std::size_t refusal_count_ = 0;
  bool has_new_refusal_ = false;
  /// For each channel, the message limit that was sent to the peer.
  struct SentLimit {
    std::uint32_t sent = kFirstMessageLimit;   ///< The last one sent.
    std::uint32_t known = kFirstMessageLimit;  ///< The highest one that is known to have arrived.
    std::uint32_t sequence = 0;                ///< The last packet that carried a limit.
  };
  std::array<SentLimit, kChannelsMax> sent_limits_{};
  unsigned closes_to_send_ = 0;

  ConnectionCounters counters_;
};

}  // namespace muster
