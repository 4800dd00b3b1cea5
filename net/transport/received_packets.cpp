#include "net/transport/received_packets.h"

#include <algorithm>
#include <cassert>

namespace muster {

ReceivedPackets::ReceivedPackets(std::uint32_t window) : window_(window) {
  assert(window >= 1);
  assert(window <= kAckWindow);
  arrived_.set();
}

Reception ReceivedPackets::look(std::uint32_t sequence) const {
  if (sequence > highest_) return Reception::fresh;
  const std::uint32_t age = highest_ - sequence;
  if (age >= window_) return Reception::stale;
  return arrived_.test(age) ? Reception::duplicate : Reception::fresh;
}

bool ReceivedPackets::mark(std::uint32_t sequence) {
  assert(sequence >= 1);
  assert(look(sequence) == Reception::fresh);
  if (sequence < highest_) {
    arrived_.set(highest_ - sequence);
    ++out_of_order_;
    return false;
  }
  advance(sequence - highest_);
  highest_ = sequence;
  arrived_.set(0);
  return true;
}

/// Counts what falls out of the window without having arrived, and shifts.
void ReceivedPackets::advance(std::uint32_t distance) {
  const std::uint32_t leaving = std::min(distance, window_);
  for (std::uint32_t i = 0; i < leaving; ++i) {
    if (!arrived_.test(window_ - 1 - i)) ++lost_;
  }
  // Of a jump beyond the window, those in between were never in it.
  if (distance > window_) lost_ += distance - window_;
  if (distance >= kAckWindow) {
    arrived_.reset();
  } else {
    arrived_ <<= distance;
  }
}

AckMask ReceivedPackets::mask(std::uint32_t oldest_news) const {
  const std::uint32_t reach = oldest_news < highest_ ? highest_ - oldest_news : 0;
  AckMask mask{.words = {}, .word_count = std::min(reach / 32 + 1, kAckWordsMax)};
  for (std::uint32_t age = 0; age < mask.word_count * 32; ++age) {
    if (arrived_.test(age)) mask.words[age / 32] |= 1U << (age % 32);
  }
  return mask;
}

}  // namespace muster
