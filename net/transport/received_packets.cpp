#include "net/transport/received_packets.h"

#include <algorithm>
#include <cassert>

namespace muster {

ReceivedPackets::ReceivedPackets(std::uint32_t window) : window_(window) {
  assert(window >= 1);
  assert(window <= kAckWindow);
  arrived_.fill(~std::uint32_t{0});
}

Reception ReceivedPackets::classify(std::uint32_t sequence) const {
  if (sequence > highest_) return Reception::fresh;
  const std::uint32_t age = highest_ - sequence;
  if (age >= window_) return Reception::stale;
  return has_arrived(age) ? Reception::duplicate : Reception::fresh;
}

bool ReceivedPackets::mark(std::uint32_t sequence) {
  assert(sequence >= 1);
  assert(classify(sequence) == Reception::fresh);
  if (sequence < highest_) {
    set_arrived(highest_ - sequence);
    ++out_of_order_;
    return false;
  }
  advance(sequence - highest_);
  highest_ = sequence;
  set_arrived(0);
  return true;
}

/// Counts the packets that leave the window and have not arrived. Then shifts the window.
void ReceivedPackets::advance(std::uint32_t distance) {
  const std::uint32_t leaving = std::min(distance, window_);
  for (std::uint32_t i = 0; i < leaving; ++i) {
    if (!has_arrived(window_ - 1 - i)) ++lost_;
  }
  // The numbers between the old and the new window were never in a window, so they are also lost.
  if (distance > window_) lost_ += distance - window_;
  shift(distance);
}

/// Shifts all bits by `distance`, so that each packet is `distance` older.
void ReceivedPackets::shift(std::uint32_t distance) {
  const std::uint32_t words = distance / 32;
  const std::uint32_t bits = distance % 32;
  for (std::uint32_t i = kAckWordsMax; i-- > 0;) {
    // The bits of the new word come from two adjacent old words.
    const std::uint64_t high = i >= words ? arrived_[i - words] : 0;
    const std::uint64_t low = i >= words + 1 ? arrived_[i - words - 1] : 0;
    arrived_[i] = static_cast<std::uint32_t>((high << 32U | low) >> (32 - bits));
  }
}

AckMask ReceivedPackets::mask(std::uint32_t oldest_news) const {
  const std::uint32_t reach = oldest_news < highest_ ? highest_ - oldest_news : 0;
  AckMask mask{.words = {}, .word_count = std::min(reach / 32 + 1, kAckWordsMax)};
  std::copy_n(arrived_.begin(), mask.word_count, mask.words.begin());
  return mask;
}

}  // namespace muster
