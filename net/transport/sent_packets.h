// Tracks sent packets, and reports each of them once, as delivered or lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/transport/call_rhythm.h"
#include "net/transport/packet_header.h"
#include "net/transport/path_time.h"
#include "net/wire/sequence_buffer.h"

namespace muster {

/// The maximum number of packets in flight: enough for 20 Mbit/s at a round trip of 0.5 s. This
/// number is far below `kWidenLimit`, so the peer can always restore the full number of a packet
/// from its low bits.
inline constexpr std::uint32_t kPacketsInFlightMax = 1024;

/// The data that the sender of a packet needs when the packet is delivered or lost.
struct PacketRecord {
  Time sent_at{};
  std::uint64_t payload_tag = 0;  ///< The payload's tag; valid with `has_payload`.
  std::uint32_t first_part = 0;   ///< The index of the packet's first part in `PacketParts`.
  std::uint16_t part_count = 0;
  std::uint16_t byte_count = 0;       ///< The size of the whole datagram.
  std::uint8_t unreliable_count = 0;  ///< The number of unreliable messages in the packet.
  bool has_payload = false;
  /// True if the packet contains a section, so that the peer must acknowledge it.
  bool is_ack_eliciting = false;
  /// True if the packet was sent while the rate was lowered to measure the path.
  bool is_draining = false;
  /// True if the packet probes the path's size. Its loss is then not a sign of congestion.
  bool is_probe = false;
  /// The highest number of a packet of the peer that this packet acknowledged.
  std::uint32_t acknowledged = 0;
};

/// A packet that was delivered or lost.
struct ResolvedPacket {
  std::uint32_t sequence = 0;
  bool delivered = false;
  PacketRecord record;
};

/// The sending side of acknowledgement. Reports each packet once: as delivered when the peer
/// acknowledges it, or as lost by the rules of net/CONNECTION.md. An acknowledgement after the loss
/// report does not change the report. Such an acknowledgement measures how far packets overtake
/// each other on this path. Rarely allocates after construction.
class SentPackets {
 public:
  SentPackets();

  /// The number of the next packet, from 1.
  std::uint32_t next_sequence() const { return next_; }
  /// True if another packet may be sent.
  bool has_room() const;
  /// Records the packet `next_sequence()`, which is sent now. Without room, the oldest packet in
  /// flight is first reported as lost.
  void send(const PacketRecord& record);

  /// False if an acknowledgement contains a packet that was never sent.
  bool is_believable(std::uint32_t ack, const AckMask& mask) const;
  /// Applies an acknowledgement. Requires: `is_believable`.
  void acknowledge(Time now, std::uint32_t ack, const AckMask& mask, const RoundTrip& path);
  /// Reports packets that are lost by timeout. Call this function once per tick; `acknowledge`
  /// finds all other losses. `interval` is the time between ticks. A long interval extends the
  /// timeouts, because an answer may have arrived that was not read yet.
  void tick(Time now, const RoundTrip& path, Duration interval = {});

  /// Drops the measured overtaking.
  void path_changed();
  /// Reports all packets in flight as lost, because the connection ended.
  void give_up();

  /// The reports since `clear_resolved`. The reports of one call are sorted by packet number.
  std::span<const ResolvedPacket> resolved() const { return resolved_; }
  void clear_resolved() { resolved_.clear(); }

  /// Returns the record of a packet in flight; null for other packets.
  const PacketRecord* find_open(std::uint32_t sequence) const;
  /// The oldest packet in flight, or null.
  const PacketRecord* oldest_open() const { return find_open(oldest_open_); }
  /// The highest number of a delivered packet; 0 if none was delivered.
  std::uint32_t highest_delivered() const { return highest_delivered_; }
  /// The number of packets in flight.
  std::uint32_t open_count() const { return open_count_; }
  /// The number of packets in flight that carry a payload.
  std::uint32_t open_payloads() const;
  /// The bytes in flight, without packets that need no answer.
  std::size_t open_bytes() const { return open_bytes_; }
  /// A packet may count as lost when a packet has arrived whose number is at least this much
  /// higher.
  std::uint32_t reorder_distance() const { return reorder_; }
  /// The typical time between two answers of the peer, measured while further packets were in
  /// flight.
  Duration answer_interval() const { return answers_.typical(); }
  /// The number of consecutive probe timeouts.
  unsigned timeouts() const { return timeouts_; }
  /// True for a packet that was sent during an outage. An outage begins when no answer arrived for
  /// two probe timeouts. The loss of such a packet is not a sign of congestion.
  bool is_of_outage(const PacketRecord& record) const {
    return timeouts_ >= kOutageTimeouts || record.sent_at < outage_end_;
  }
  /// The number of packets that were acknowledged after they were reported as lost.
  std::uint64_t late_acknowledgements() const { return late_; }

 private:
  /// The initial `reorder_distance`, as in RFC 5681.
  static constexpr std::uint32_t kReorder = 3;
  static constexpr unsigned kOutageTimeouts = 2;

  enum class Delivery : std::uint8_t { open, delivered, lost };
  struct Slot {
    PacketRecord record;
    Delivery delivery = Delivery::delivered;
  };

  void resolve(std::uint32_t sequence, Slot& slot, Delivery delivery);
  void acknowledge_one(Time now, std::uint32_t sequence);
  /// Records the age of a packet that was acknowledged after a later packet.
  void learn_overtaking(Time now, Duration age);
  void find_overtaken(Time now, const RoundTrip& path);
  void skip_resolved();
  Duration patience(Duration interval) const;
  std::uint32_t lowest_to_learn(std::uint32_t ack);

  SequenceBuffer<Slot> slots_{kPacketsInFlightMax};
  std::vector<ResolvedPacket> resolved_;
  std::uint32_t next_ = 1;
  std::uint32_t oldest_open_ = 1;  ///< All lower numbers are resolved.
  /// No lost packet with a lower number can still be acknowledged.
  std::uint32_t oldest_lost_ = 1;
  std::uint32_t highest_delivered_ = 0;
  std::uint32_t open_count_ = 0;
  std::uint32_t ack_eliciting_count_ = 0;
  std::size_t open_bytes_ = 0;
  std::uint32_t reorder_ = kReorder;
  /// The maximum age in `learn_overtaking`; valid for `kPathWindow` after `overtaken_at_`.
  Duration longest_overtaken_{};
  Time overtaken_at_{};
  unsigned timeouts_ = 0;
  Time last_progress_{};
  CallRhythm answers_;  ///< The peer's acknowledgements while further packets were in flight.
  Time outage_end_{};   ///< The arrival of the first answer after an outage.
  std::uint64_t late_ = 0;
};

}  // namespace muster
