// The state of a connection and the functions that work on it. connection_impl.cpp has the queues,
// the delivery reports and the end of a connection. connection_write.cpp writes packets, and
// connection_read.cpp reads packets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "net/transport/block_receiver.h"
#include "net/transport/block_sender.h"
#include "net/transport/call_rhythm.h"
#include "net/transport/channel.h"
#include "net/transport/connection.h"
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

/// The functions of `Connection`, which forwards to them.
class Connection::Impl {
 public:
  Impl(const ConnectionOptions& options, Time now);
  SendStatus send_message(std::size_t channel, std::span<const std::byte> message);
  std::size_t unconfirmed(std::size_t channel) const;
  SendStatus send_payload(std::span<const std::byte> payload, std::uint64_t tag);
  SendStatus send_block(std::span<const std::byte> block, std::uint16_t& id);
  void begin_map();
  std::uint16_t map() const { return maps_.present(); }
  std::size_t budget(Time now) const;
  void allow(std::int64_t bytes) { allowed_ = bytes; }
  std::size_t payload_bytes_max() const;
  void tick(Time now);
  bool wants_to_send(Time now) const;
  std::span<const std::byte> write_packet(Time now, std::span<std::byte> memory);
  std::uint32_t next_sequence() const { return sent_.next_sequence(); }
  std::uint32_t highest_delivered() const { return sent_.highest_delivered(); }
  Reception classify(std::optional<std::uint32_t> sequence);
  std::uint32_t highest_received() const { return received_.highest(); }
  PacketVerdict read_packet(Time now, std::uint32_t sequence, std::size_t datagram_bytes,
                            std::span<const std::byte> body);
  std::span<const std::byte> message(std::size_t channel) const;
  void pop_message(std::size_t channel);
  ReceivedPayload payload() const;
  void pop_payload();
  bool is_stopped_unread() const { return is_stopped_unread_; }
  std::span<const std::byte> block() const { return blocks_in_.front(); }
  void pop_block();
  std::span<const DeliveryReport> delivery_reports() const { return delivery_reports_; }
  void clear_delivery_reports() { delivery_reports_.clear(); }
  std::span<const SentBlock> finished_blocks() const { return blocks_out_.finished(); }
  void clear_finished_blocks() { blocks_out_.clear_finished(); }
  std::optional<SentBlock> release_finished_block(std::uint16_t id) {
    return blocks_out_.release_finished(id);
  }
  void close(CloseReason reason, std::string_view text, Time now);
  ConnectionState state() const { return state_; }
  const std::optional<Close>& end() const { return end_; }
  std::span<const std::byte> write_path_challenge(Time now, std::uint64_t challenge,
                                                  std::span<std::byte> memory);
  std::optional<std::uint64_t> drain_path_answer();
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
  void acknowledge_pending(PacketDraft& draft);
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
  bool parse_control(ByteReader& reader, std::size_t datagram_bytes, Incoming& incoming) const;
  bool parse_limit(ByteReader& reader, Incoming& incoming) const;
  bool parse_messages(ByteReader& reader, Incoming& incoming) const;
  PacketVerdict check_contents(Incoming& incoming) const;
  PacketVerdict check_room(const Incoming& incoming) const;
  void apply_header(Time now, std::uint32_t sequence, const PacketHeader& header,
                    std::uint32_t ack);
  bool measure_round_trip(Time now, Duration sample, std::uint16_t hold_units, Duration silence);
  Duration clock_slack(Time now) const;
  Duration without_clock(Time now, Duration reported);
  void keep_pending_ack(std::uint32_t sequence);
  void apply_control(const Incoming& incoming);
  void note_no_room();
  void apply_parts(Time now, std::uint32_t sequence, const Incoming& incoming);
  void refuse_block(std::uint16_t id, BlockRefusal reason);
  void give_up_stalled_blocks(Time now);
  void apply_refusals(const Incoming& incoming);
  void apply_limits(const Incoming& incoming);

  // connection_impl.cpp
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

  /// The remaining allowance, in bytes.
  std::int64_t allowed_ = std::numeric_limits<std::int64_t>::max();

  CallRhythm ticks_;
  mutable CallRhythm budget_calls_;  ///< The calls of `budget`.

  Time last_arrival_{};
  Time highest_arrival_{};  ///< The arrival time of the packet with the highest number.
  Time last_departure_{};
  Time last_full_payload_{};
  Time last_choke_{};
  /// No probes are sent before this time, because the rate is not measured yet.
  Time probe_from_{};
  /// The peer has received the acknowledgements of all packets up to this number.
  std::uint32_t peer_knows_to_ = 0;
  /// The highest number that our last packet or a `PendingAck` acknowledges.
  std::uint32_t acknowledged_to_ = 0;
  struct PendingAck {
    std::uint32_t ack = 0;
    AckMask mask;
    Time arrived_at{};
  };
  /// The array has room for more packets than an honest peer has in flight.
  std::array<PendingAck, kPacketsInFlightMax / kAckWindow + 1> pending_acks_{};
  std::size_t pending_ack_count_ = 0;
  unsigned unanswered_ = 0;  ///< The received packets that need an answer, since our last packet.
  Time unanswered_since_{};
  Duration delay_min_{};  ///< The minimum delay of received packets, since our last packet.
  bool has_delay_min_ = false;
  /// The clocks are not trusted until this time, because of a recent outage or sleep.
  Time clocks_doubted_until_{};
  /// The minimum delay that the peer reported while the clocks were not trusted.
  Duration reported_delay_min_ = Duration::max();
  Duration reported_delay_{};

  /// The path challenges that are not answered yet.
  std::array<std::uint64_t, 4> path_challenges_{};
  std::size_t path_challenge_count_ = 0;
  std::optional<std::uint64_t> path_answer_;
  /// A refusal is sent in every packet until one of these packets is delivered. So a packet that
  /// acknowledges the chunks of a refused block also contains the refusal, and the sender never
  /// reports the block as delivered.
  std::array<RefusedBlock, 2 * kBlocksAtOnce> refusals_{};
  std::size_t refusal_count_ = 0;
  bool has_new_refusal_ = false;
  /// For each channel, the message limit that was sent to the peer.
  struct SentLimit {
    std::uint32_t sent = kFirstMessageLimit;
    std::uint32_t known = kFirstMessageLimit;  ///< The highest limit that the peer acknowledged.
    std::uint32_t sequence = 0;  ///< The number of the last packet that carried a limit.
  };
  std::array<SentLimit, kChannelsMax> sent_limits_{};
  unsigned closes_to_send_ = 0;

  ConnectionCounters counters_;
};

}  // namespace muster
