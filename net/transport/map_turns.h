// Finds the map to which each packet of a connection belongs.
#pragma once

#include <cstdint>
#include <optional>

#include "net/wire/sequence.h"

namespace muster {

/// The map of a packet, compared with the current map.
enum class PacketMap : std::uint8_t {
  present,
  past,        ///< The packet belongs to an earlier map, so its contents are ignored.
  next,        ///< The peer has changed to a later map. Change to that map, too.
  impossible,  ///< The packet names a new map, but its sender does not lead.
};

/// The current map of each direction of a connection; see net/CONNECTION.md, "Maps". One end leads:
/// it starts maps, and the other end changes to the same map. Each end names the new map in its
/// packets after a change. Maps are counted from 0 and wrap.
class MapTurns {
 public:
  explicit MapTurns(bool leads) : leads_(leads) {}

  bool leads() const { return leads_; }
  std::uint16_t present() const { return present_.value(); }
  /// Changes to another map. Our packets from `next_sequence` on belong to this map.
  void go_to(std::uint16_t map, std::uint32_t next_sequence) {
    present_ = Sequence(map);
    first_ours_ = next_sequence;
    is_known_ = false;
    is_urgent_ = true;
  }

  /// True until the peer has received a packet that names the current map. Until then, each packet
  /// must name the map.
  bool must_send() const { return !is_known_; }
  /// True when a packet should be sent even if it only names the map.
  bool is_urgent() const { return is_urgent_; }
  void sent() { is_urgent_ = false; }
  /// True when a packet that this end sent belongs to the current map.
  bool is_ours(std::uint32_t sequence) const { return sequence >= first_ours_; }
  /// Records that a packet that this end sent was delivered or lost.
  void settled(std::uint32_t sequence, bool delivered) {
    if (is_known_ || !is_ours(sequence)) return;
    is_known_ = delivered;
    is_urgent_ = !delivered;
  }

  /// Classifies a packet of the peer by the map that it names. A packet that names no map belongs
  /// to the peer's last map if its number is higher than the number of a packet that named this
  /// map. A peer names its map in every packet until one of these packets arrives.
  PacketMap classify(std::uint32_t sequence, std::optional<std::uint16_t> reported) const {
    if (!reported.has_value()) {
      return theirs_ == present_ && sequence >= first_theirs_ ? PacketMap::present
                                                              : PacketMap::past;
    }
    const Sequence map(*reported);
    if (map == present_) return PacketMap::present;
    if (!more_recent(map, present_)) return PacketMap::past;
    return leads_ ? PacketMap::impossible : PacketMap::next;
  }
  /// Records a packet as received. Requires: `classify` returned `present`.
  void received(std::uint32_t sequence, std::optional<std::uint16_t> reported) {
    if (!reported.has_value()) return;
    const bool is_first = theirs_ != present_ || sequence < first_theirs_;
    theirs_ = present_;
    if (is_first) first_theirs_ = sequence;
  }

 private:
  bool leads_;
  Sequence present_;
  std::uint32_t first_ours_ = 0;
  bool is_known_ = true;  ///< True if the peer has received a packet that names the current map.
  bool is_urgent_ = false;
  Sequence theirs_;
  std::uint32_t first_theirs_ = 0;  ///< The lowest number of a packet that named the peer's map.
};

}  // namespace muster
