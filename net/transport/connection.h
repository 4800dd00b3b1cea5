// One end of a connection: packs what is to be sent into packets, and takes packets apart. Knows no
// socket, no clock and no cipher; what travels is described in net/WIRE_FORMAT.md, when in
// net/CONNECTION.md.
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

/// What a game chooses for its connections. Both ends have the same channels.
struct ConnectionOptions {
  std::vector<ChannelOptions> channels{};
  SendRateLimits rate{};
  /// The largest block that is taken from the peer; all that arrive or wait to be read are no
  /// larger than twice that.
  std::size_t block_bytes_max = std::size_t{16} * 1024 * 1024;
  /// The largest datagram that this end sends and takes.
  std::size_t datagram_bytes_max = kDatagramBytesMax;
  /// Bytes of a datagram around the body: head and tag.
  std::size_t overhead_bytes = 7 + 16;
  /// Whether this end begins maps, and the peer follows: a server's do.
  bool leads_maps = false;
  Duration interrupted_after = std::chrono::seconds(5);
  Duration closed_after = std::chrono::seconds(35);
};

/// Why a connection ended; travels.
enum class CloseReason : std::uint8_t {
  none = 0,
  left = 1,       ///< The game wanted it.
  kicked = 2,     ///< The server wanted it.
  timed_out = 3,  ///< Nothing arrived for too long.
  malformed = 4,  ///< The peer broke the protocol.
  forged = 5,     ///< Too many packets did not open.
  exhausted = 6,  ///< The sequence numbers are used up.
  shutting_down = 7,
  no_answer = 8,  ///< There never was a connection.
  refused = 9,    ///< The handshake was; the text says why.
};

/// What stands in the control section of a packet.
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

/// The end of a connection.
struct Close {
  CloseReason reason = CloseReason::none;
  bool by_peer = false;
  std::string text;  ///< For a person; at most `kCloseTextBytesMax`.
};
inline constexpr std::size_t kCloseTextBytesMax = 128;

/// What became of a payload. One of a map that is over was not delivered, whatever became of its
/// packet; one of which nothing is known when the connection ends is told as not delivered then.
struct PayloadFate {
  std::uint64_t tag = 0;       ///< As given to `send_payload`.
  std::uint32_t sequence = 0;  ///< Of the packet that carried it; 0: none did.
  bool delivered = false;
};

/// A payload that arrived.
struct ReceivedPayload {
  std::uint32_t sequence = 0;  ///< Of the packet that carried it.
  std::span<const std::byte> bytes;
};

/// What became of a packet that arrived.
enum class [[nodiscard]] PacketVerdict : std::uint8_t{
    received,
    malformed,     ///< Breaks the format. Was not received.
    unbelievable,  ///< Acknowledges what was never sent. Was not received.
    no_room,       ///< The game has to read first. Was not received, and will come again.
};

/// Whether a connection lives.
enum class ConnectionState : std::uint8_t { connected, interrupted, closed };

/// With less of an allowance left, in bytes, most of a packet would be its head.
inline constexpr std::size_t kAllowedLeast = 150;
constexpr bool is_worth_a_packet(std::int64_t allowance) {
  return allowance >= static_cast<std::int64_t>(kAllowedLeast);
}

/// One end of an established connection. One thread at a time. Memory is bounded by the options and
/// allocated on construction or when something is needed for the first time; in steady state
/// nothing is allocated.
///
/// Once a tick: give arrived packets to `look` and `read_packet`; read messages, payloads, blocks
/// and fates; queue what is to be sent, payloads within `budget`; then
///
///     connection.tick(now);
///     while (connection.wants_to_send(now)) send(connection.write_packet(now, memory));
class Connection {
 public:
  Connection(const ConnectionOptions& options, Time now);

  /// Queues a copy of a message. Requires: a channel that was declared.
  SendStatus send_message(std::size_t channel, std::span<const std::byte> message);
  /// Queues a copy of a payload, at most `payload_bytes_max()`. It travels once; what became of it
  /// is told by `payload_fates` with this tag.
  SendStatus send_payload(std::span<const std::byte> payload, std::uint64_t tag);
  /// Begins a block. Its bytes stay with the caller until it is in `finished_blocks()`.
  SendStatus send_block(std::span<const std::byte> block, std::uint16_t& id);

  /// Begins the next map: everything of the present one that was not read at the other end is over,
  /// in both directions. What waits is forgotten (`lost_at_map`, `unread_at_map`), payloads on
  /// their way are lost, blocks are finished with `BlockRefusal::map_over`. The peer does the same
  /// when it hears of it, before it takes anything of the new map. Requires: `leads_maps`.
  void begin_map();
  /// The present map: counts from 0 and wraps. The end that does not lead sees here that its game
  /// has to leave a map; spans that were got before `read_packet` mean nothing then.
  std::uint16_t map() const { return maps_.present(); }

  /// Bytes of payload that can go out now, those that wait already taken off. When it is not 0, a
  /// payload may be larger: it goes whole, and what it is too large by is paid for before anything
  /// else goes. So who cannot cut a payload queues it then, and does not wait for a budget of its
  /// size, which on a slow path or with a small share of a server's cap never comes.
  ///
  /// A game may ask at any time of its tick. When it asks after it has sent, the budget is that of
  /// its next sending. Loops of 4 Hz and more use all of the rate.
  std::size_t budget(Time now) const;
  /// For whoever shares a cap among connections: from now on no more than this goes out of what the
  /// game has to say, and `budget` tells of no more. A packet may be larger than what is left of
  /// it; what has to be said at once goes all the same, and counts. Without a call there is no
  /// bound.
  void allow(std::int64_t bytes) { allowed_ = bytes; }
  /// The largest payload that fits in one packet on this path.
  std::size_t payload_bytes_max() const;

  /// Finds what was lost, and what is over. Call it once per tick, before sending.
  void tick(Time now);
  /// True when a packet should go out now.
  bool wants_to_send(Time now) const;
  /// Writes the body of the packet `next_sequence()`, and counts it as sent. Requires: memory for
  /// the body of the largest datagram. The result is a part of it, never empty.
  std::span<const std::byte> write_packet(Time now, std::span<std::byte> memory);
  std::uint32_t next_sequence() const { return sent_.next_sequence(); }
  /// The highest number of ours that is known to have arrived; 0 is none.
  std::uint32_t highest_delivered() const { return sent_.highest_delivered(); }

  /// Says whether a packet can be received at all; asked before its seal is opened. Without a
  /// number it is too far from all that were received to have one.
  Reception look(std::optional<std::uint32_t> sequence);
  std::uint32_t highest_received() const { return received_.highest(); }
  /// Takes a packet apart whose seal is good. `datagram_bytes` counts it. All of it is taken, or
  /// nothing. Requires: `look(sequence) == Reception::fresh`.
  PacketVerdict read_packet(Time now, std::uint32_t sequence, std::size_t datagram_bytes,
                            std::span<const std::byte> body);

  /// The next message of a channel; empty when there is none. Good until `pop_message`.
  std::span<const std::byte> message(std::size_t channel) const;
  void pop_message(std::size_t channel);
  /// The next payload; without bytes when there is none. Good until `pop_payload`.
  ReceivedPayload payload() const;
  void pop_payload();
  /// True while unread payloads or blocks stop the peer: from the first packet that is refused for
  /// want of room until the game has read all payloads and blocks. Each stop counts once
  /// (`unread_stops`), however many packets are refused in it (`no_room_in`).
  bool is_stopped_unread() const { return is_stopped_unread_; }
  /// The next complete block; empty when there is none. Good until `pop_block`.
  std::span<const std::byte> block() const { return blocks_in_.front(); }
  void pop_block();
  /// What became of payloads since `clear_fates`, in the order in which it became known. At most
  /// 2,048 are kept: more are counted as `fates_unread`.
  std::span<const PayloadFate> payload_fates() const { return fates_; }
  void clear_fates() { fates_.clear(); }
  /// Blocks of ours that arrived, were refused or ended with map or connection, since
  /// `clear_finished_blocks`.
  std::span<const SentBlock> finished_blocks() const { return blocks_out_.finished(); }
  void clear_finished_blocks() { blocks_out_.clear_finished(); }
  /// Takes one of them, for whoever shares the connection with others; nothing when it is none.
  std::optional<SentBlock> take_finished_block(std::uint16_t id) {
    return blocks_out_.take_finished(id);
  }

  /// Ends the connection; the peer is told. The text is cut at `kCloseTextBytesMax`.
  void close(CloseReason reason, std::string_view text, Time now);
  ConnectionState state() const { return state_; }
  /// Why it ended; nothing while it lives.
  const std::optional<Close>& end() const { return end_; }

  /// For whoever moves connections between addresses: writes a packet that asks an address for
  /// these bytes; tells what was answered last.
  std::span<const std::byte> write_path_challenge(Time now, std::uint64_t question,
                                                  std::span<std::byte> memory);
  std::optional<std::uint64_t> take_path_answer();
  /// The peer is somewhere else now: what was learnt of the path is forgotten.
  void path_changed();

  const RoundTrip& round_trip() const { return round_trip_; }
  const PeerClock& peer_clock() const { return peer_clock_; }
  const SendRate& rate() const { return rate_; }
  std::size_t datagram_bytes() const { return path_size_.bytes(); }
  ConnectionCounters counters() const;

 private:
  struct Incoming;     // The parts of a packet that arrived.
  struct PacketDraft;  // A packet that is being filled.

  // connection_write.cpp
  bool has_content() const;
  bool has_due_content(Time now) const;
  bool is_held_back(std::size_t source, Time now) const;
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
  void take_header(Time now, std::uint32_t sequence, const PacketHeader& header, std::uint32_t ack);
  bool measure_round_trip(Time now, Duration sample, std::uint16_t hold_units, Duration silence);
  Duration clock_slack(Time now) const;
  Duration without_clock(Time now, Duration told);
  void keep_owed_ack(std::uint32_t sequence);
  void take_control(const Incoming& incoming);
  void note_no_room();
  void take_parts(Time now, std::uint32_t sequence, const Incoming& incoming);
  void refuse_block(std::uint16_t id, BlockRefusal reason);
  void give_up_stalled_blocks(Time now);
  void take_refusals(const Incoming& incoming);
  void take_limits(const Incoming& incoming);

  // connection.cpp
  std::size_t payload_heads() const;
  std::size_t standing_bytes() const;
  std::size_t waiting_bytes() const;
  bool has_fitting_payload() const;
  bool has_room_for_payload() const;
  void drop_unfit_payloads();
  void settle(Time now);
  void tell_fate(const ResolvedPacket& packet, bool delivered);
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
  std::vector<PayloadFate> fates_;

  std::int64_t allowed_ = std::numeric_limits<std::int64_t>::max();  ///< Bytes, by `allow`.

  CallRhythm ticks_;
  mutable CallRhythm asks_;  ///< When the game asked for its budget.

  Time last_arrival_{};
  Time highest_arrival_{};  ///< Of the packet with the highest number.
  Time last_departure_{};
  Time last_full_payload_{};  ///< When a payload left next to nothing of the budget.
  Time last_choke_{};
  Time probe_from_{};          ///< Earlier the rate says nothing of how long a large packet takes.
  std::uint32_t told_to_ = 0;  ///< The peer is known to know of all packets up to this one.
  std::uint32_t acknowledged_to_ = 0;  ///< Our last packet, or what is owed, acknowledges this.
  struct OwedAck {
    std::uint32_t ack = 0;
    AckMask mask;
    Time arrived_at{};
  };
  /// For more packets than an honest peer has on their way.
  std::array<OwedAck, kPacketsOnTheWayMax / kAckWindow + 1> owed_acks_{};
  std::size_t owed_ack_count_ = 0;
  unsigned unanswered_ = 0;  ///< Packets that asked for an answer since we last sent one.
  Time unanswered_since_{};
  Duration least_delay_{};  ///< Of the peer's packets since we last sent one.
  bool has_least_delay_ = false;
  /// A silence, or a sleep of ours, is not long ago: clocks may have stood still.
  Time clocks_doubted_until_{};
  Duration least_told_ = Duration::max();  ///< Of ours by the peer, since then.
  Duration told_delay_{};                  ///< Our last delay that the peer reported.

  std::array<std::uint64_t, 4> path_questions_{};  ///< To be answered.
  std::size_t path_question_count_ = 0;
  std::optional<std::uint64_t> path_answer_;
  /// Stand in every packet until the peer knows. So whichever packet tells that a refused block's
  /// chunks arrived tells of the refusal, too, and nobody takes it for delivered.
  std::array<RefusedBlock, 2 * kBlocksAtOnce> refusals_{};
  std::size_t refusal_count_ = 0;
  bool has_new_refusal_ = false;
  /// Of each channel, what the peer was told of the room for its messages.
  struct ToldLimit {
    std::uint32_t told = kFirstMessageLimit;   ///< Last.
    std::uint32_t known = kFirstMessageLimit;  ///< It is known to know this.
    std::uint32_t sequence = 0;                ///< Of the last packet that told.
  };
  std::array<ToldLimit, kChannelsMax> told_limits_{};
  unsigned closes_to_send_ = 0;

  ConnectionCounters counters_;
};

}  // namespace muster
