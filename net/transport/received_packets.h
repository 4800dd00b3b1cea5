// Which packets of the peer have arrived: what may still be received, and what to acknowledge.
#pragma once

#include <array>
#include <cstdint>

#include "net/transport/packet_header.h"

namespace muster {

/// What a packet's number says of it.
enum class [[nodiscard]] Reception : std::uint8_t{
    fresh,      ///< May be received.
    duplicate,  ///< Was received before.
    stale,      ///< So old that it could not be acknowledged any more.
};

/// The window of packets received from a peer (seed 000's rules, with a window of 256 instead of
/// 16). A packet that cannot be acknowledged is never received: so a sender that calls it lost is
/// right about its contents. The window is also what stops a packet from being replayed.
class ReceivedPackets {
 public:
  /// Requires: `window` from 1 to `kAckWindow`. Other windows than the whole are for tests.
  explicit ReceivedPackets(std::uint32_t window = kAckWindow);

  /// What would become of a packet. Changes nothing: the packet's seal is checked in between.
  Reception look(std::uint32_t sequence) const;
  /// Marks a packet. Requires: `look(sequence) == Reception::fresh`, `sequence >= 1`. Returns true
  /// when it is the highest so far.
  bool mark(std::uint32_t sequence);

  /// The highest number received; 0 is none.
  std::uint32_t highest() const { return highest_; }
  /// The mask of what was received, as many words as are needed to tell of everything down to
  /// `oldest_news` (but no further than the window).
  AckMask mask(std::uint32_t oldest_news) const;

  /// Packets that left the window without having arrived.
  std::uint64_t lost() const { return lost_; }
  /// Packets that arrived below the highest.
  std::uint64_t out_of_order() const { return out_of_order_; }

 private:
  bool has_arrived(std::uint32_t age) const {
    return ((arrived_[age / 32] >> (age % 32)) & 1U) != 0;
  }
  void set_arrived(std::uint32_t age) { arrived_[age / 32] |= 1U << (age % 32); }
  void advance(std::uint32_t distance);
  void shift(std::uint32_t distance);

  std::uint32_t window_;
  std::uint32_t highest_ = 0;
  /// As in `AckMask`: bit `i` of word `w` is packet `highest_ - 32 * w - i`. Those below number 1
  /// count as arrived.
  std::array<std::uint32_t, kAckWordsMax> arrived_;
  std::uint64_t lost_ = 0;
  std::uint64_t out_of_order_ = 0;
};

}  // namespace muster
