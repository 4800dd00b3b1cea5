// Which of a connection's packets belong to the present map, when a game goes from one to the next.
#pragma once

#include <cstdint>
#include <optional>

#include "net/wire/sequence.h"

namespace muster {

/// What a packet's map is to us.
enum class PacketMap : std::uint8_t {
  present,
  past,        ///< What it brings concerns nobody any more.
  next,        ///< The peer went on: so do we.
  impossible,  ///< Nobody but the leader begins maps.
};

/// The map of each direction of a connection, as net/CONNECTION.md says ("Maps"). One end leads,
/// the other follows; each says where its own packets change. Maps are counted from 0 and wrap.
class MapTurns {
 public:
  explicit MapTurns(bool leads) : leads_(leads) {}

  bool leads() const { return leads_; }
  std::uint16_t present() const { return present_.value(); }
  /// Goes to another map. Our packets from `next_sequence` on belong to it.
  void go_to(std::uint16_t map, std::uint32_t next_sequence) {
    present_ = Sequence(map);
    first_ours_ = next_sequence;
    is_known_ = false;
    is_urgent_ = true;
  }

  /// True when the next packet has to say which map it belongs to: until the peer has such a one.
  bool must_tell() const { return !is_known_; }
  /// True when a packet should go out for that alone.
  bool is_urgent() const { return is_urgent_; }
  void told() { is_urgent_ = false; }
  /// Whether a packet of ours belongs to the present map.
  bool is_ours(std::uint32_t sequence) const { return sequence >= first_ours_; }
  /// The fate of a packet of ours became known.
  void settled(std::uint32_t sequence, bool delivered) {
    if (is_known_ || !is_ours(sequence)) return;
    is_known_ = delivered;
    is_urgent_ = !delivered;
  }

  /// What a packet of the peer belongs to, by what it says. One that says nothing belongs to the
  /// peer's last map when it was sent after one that said so: nobody stops saying it before.
  PacketMap look(std::uint32_t sequence, std::optional<std::uint16_t> told) const {
    if (!told.has_value()) {
      return theirs_ == present_ && sequence >= first_theirs_ ? PacketMap::present
                                                              : PacketMap::past;
    }
    const Sequence map(*told);
    if (map == present_) return PacketMap::present;
    if (!more_recent(map, present_)) return PacketMap::past;
    return leads_ ? PacketMap::impossible : PacketMap::next;
  }
  /// Such a packet was received. Requires: `look` says present.
  void take(std::uint32_t sequence, std::optional<std::uint16_t> told) {
    if (!told.has_value()) return;
    const bool is_first = theirs_ != present_ || sequence < first_theirs_;
    theirs_ = present_;
    if (is_first) first_theirs_ = sequence;
  }

 private:
  bool leads_;
  Sequence present_;
  std::uint32_t first_ours_ = 0;
  bool is_known_ = true;  ///< The peer has a packet of ours of the present map.
  bool is_urgent_ = false;
  Sequence theirs_;
  std::uint32_t first_theirs_ = 0;  ///< The lowest number that was seen to say so.
};

}  // namespace muster
