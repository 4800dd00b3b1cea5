// The packets that were sent and what became of them: each is notified once, delivered or lost.
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

/// The most packets that are on their way at a time. More than a window of 20 Mbit/s over 0.5 s;
/// and far below `kWidenLimit`, so that the other end always knows which number is meant.
inline constexpr std::uint32_t kPacketsOnTheWayMax = 1024;

/// What a packet carried, as far as its sender has to know when it is delivered or lost.
struct PacketRecord {
  Time sent_at{};
  std::uint64_t payload_tag = 0;  ///< Of the payload's owner; meaningful with `has_payload`.
  std::uint32_t first_part = 0;   ///< In the connection's list of parts (messages, chunks).
  std::uint16_t part_count = 0;
  std::uint16_t byte_count = 0;       ///< Of the whole datagram.
  std::uint8_t unreliable_count = 0;  ///< Messages in it that nobody will repeat.
  bool has_payload = false;
  bool asks_for_answer = false;  ///< Has a section; an acknowledgement alone asks for nothing.
  bool is_draining = false;      ///< Sent while the rate was lowered to learn of the path.
  bool is_probe = false;         ///< For the path's size; its loss says nothing of congestion.
  /// The highest of a peer's packets that this one acknowledged.
  std::uint32_t acknowledged = 0;
};

/// A packet whose fate is known.
struct ResolvedPacket {
  std::uint32_t sequence = 0;
  bool delivered = false;
  PacketRecord record;
};

/// The sending side of acknowledgement. A packet's fate is told once: delivered when the peer says
/// so, lost by the rules of net/CONNECTION.md. An acknowledgement that comes too late changes
/// nothing, but teaches how far packets overtake each other here. Allocates next to nothing once it
/// is constructed.
class SentPackets {
 public:
  SentPackets();

  /// The number of the next packet, from 1.
  std::uint32_t next_sequence() const { return next_; }
  /// True while another packet may go on its way.
  bool has_room() const;
  /// Records the packet `next_sequence()`, which goes out now. When there is no room, the oldest is
  /// lost.
  void send(const PacketRecord& record);

  /// True when a peer may say this: nothing is acknowledged that was never sent.
  bool is_believable(std::uint32_t ack, const AckMask& mask) const;
  /// Takes an acknowledgement. Requires: `is_believable`.
  void acknowledge(Time now, std::uint32_t ack, const AckMask& mask, const RoundTrip& path);
  /// Finds what is lost by time alone. Call it once per tick; `acknowledge` does the rest.
  /// `interval` is the time between ticks: an answer that came since the last but one may not have
  /// been read.
  void tick(Time now, const RoundTrip& path, Duration interval = {});

  /// What was learnt of how packets overtake each other is forgotten.
  void path_changed();
  /// The connection is over: all whose fate is open are lost.
  void give_up();

  /// What became known since `clear_resolved`, oldest first per call above.
  std::span<const ResolvedPacket> resolved() const { return resolved_; }
  void clear_resolved() { resolved_.clear(); }

  /// The record of a packet whose fate is open; null for others.
  const PacketRecord* find_open(std::uint32_t sequence) const;
  /// The oldest of those; null when there is none.
  const PacketRecord* oldest_open() const { return find_open(oldest_open_); }
  /// The highest number that was delivered; 0 is none.
  std::uint32_t highest_delivered() const { return highest_delivered_; }
  /// Packets whose fate is open.
  std::uint32_t open_count() const { return open_count_; }
  /// Those among them that carry a payload.
  std::uint32_t open_payloads() const;
  /// The bytes of those among them that ask for an answer.
  std::size_t open_bytes() const { return open_bytes_; }
  /// How many numbers later a packet must have arrived for one to be lost.
  std::uint32_t reorder_distance() const { return reorder_; }
  /// The time between two answers of the peer while more was on its way.
  Duration answer_interval() const { return answers_.typical(); }
  /// Probe timeouts in a row.
  unsigned timeouts() const { return timeouts_; }
  /// True for a packet that was sent while the path, or the peer, was away: no answer came for two
  /// probe timeouts. Its loss says nothing of congestion.
  bool is_of_outage(const PacketRecord& record) const {
    return timeouts_ >= kOutageTimeouts || record.sent_at < outage_end_;
  }
  /// Acknowledgements of packets that had been called lost.
  std::uint64_t late_acknowledgements() const { return late_; }

 private:
  /// RFC 5681's three, until the path teaches otherwise.
  static constexpr std::uint32_t kReorder = 3;
  static constexpr unsigned kOutageTimeouts = 2;

  enum class Fate : std::uint8_t { open, delivered, lost };
  struct Slot {
    PacketRecord record;
    Fate fate = Fate::delivered;
  };

  void resolve(std::uint32_t sequence, Slot& slot, Fate fate);
  void acknowledge_one(Time now, std::uint32_t sequence);
  /// A packet was told of this long after it was sent, when a later one had been already.
  void learn_overtaking(Time now, Duration age);
  void find_overtaken(Time now, const RoundTrip& path);
  void skip_resolved();
  Duration patience(Duration interval) const;
  std::uint32_t lowest_to_learn(std::uint32_t ack);

  SequenceBuffer<Slot> slots_{kPacketsOnTheWayMax};
  std::vector<ResolvedPacket> resolved_;
  std::uint32_t next_ = 1;
  std::uint32_t oldest_open_ = 1;  ///< All below are resolved.
  std::uint32_t oldest_lost_ = 1;  ///< No packet below is lost and may still be acknowledged.
  std::uint32_t highest_delivered_ = 0;
  std::uint32_t open_count_ = 0;
  std::uint32_t asking_count_ = 0;
  std::size_t open_bytes_ = 0;
  std::uint32_t reorder_ = kReorder;
  Duration longest_overtaken_{};  ///< Until `kPathMemory` after `overtaken_at_`.
  Time overtaken_at_{};
  unsigned timeouts_ = 0;
  Time last_progress_{};
  CallRhythm answers_;  ///< When the peer acknowledged, while more was on its way.
  Time outage_end_{};   ///< When the first answer after an outage came.
  std::uint64_t late_ = 0;
};

}  // namespace muster
