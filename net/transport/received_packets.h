// The packets received from a peer: decides which numbers are accepted, and builds
// acknowledgements.
#pragma once

#include <array>
#include <cstdint>

#include "net/transport/packet_header.h"

namespace muster {

/// The classification of a packet by its number.
enum class [[nodiscard]] Reception : std::uint8_t{
    fresh,      ///< The packet can be received.
    duplicate,  ///< The packet was received before.
    stale,      ///< The packet is too old to be acknowledged.
};

/// The window of packets received from a peer. A packet that is too old to be acknowledged is
/// rejected, because its sender treats it as lost. The window also rejects replayed packets.
class ReceivedPackets {
 public:
  /// Requires: `window` from 1 to `kAckWindow`. Only tests use a smaller window.
  explicit ReceivedPackets(std::uint32_t window = kAckWindow);

  /// Classifies a packet without marking it. The caller must check the packet's seal before `mark`.
  Reception classify(std::uint32_t sequence) const;
  /// Marks a packet as received. Returns true if its number is the highest so far. Requires:
  /// `classify(sequence) == Reception::fresh`, `sequence >= 1`.
  bool mark(std::uint32_t sequence);

  /// The highest number received; 0 if nothing was received.
  std::uint32_t highest() const { return highest_; }
  /// Returns the mask of received packets. The mask covers the numbers from `highest()` down to
  /// `oldest_news`, but not more than the window.
  AckMask mask(std::uint32_t oldest_news) const;

  /// The number of packets that did not arrive before they left the window.
  std::uint64_t lost() const { return lost_; }
  /// The number of packets that arrived after a packet with a higher number.
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
  /// Bit `i` of word `w` is packet `highest_ - 32 * w - i`, as in `AckMask`. Numbers below 1 count
  /// as received.
  std::array<std::uint32_t, kAckWordsMax> arrived_;
  std::uint64_t lost_ = 0;
  std::uint64_t out_of_order_ = 0;
};

}  // namespace muster
