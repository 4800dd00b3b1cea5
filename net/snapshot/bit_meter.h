// Counts the bits of each decision of a snapshot, for inspection tools.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "net/wire/range_coder.h"

namespace muster {

/// Sums the bits of decisions by slot. For coders with probabilities, the counted bits are the bits
/// of an ideal coder; the range coder needs a few more bits per snapshot. For plain coders, the
/// counted bits are the real bits. A decision without a slot counts for the slot of the previous
/// decision, or for slot 0 at the start of a snapshot.
class BitMeter {
 public:
  explicit BitMeter(std::size_t slot_count) : bits_(slot_count) {}

  void add(std::uint32_t slot, BitProbability probability, bool value) {
    const double one = static_cast<double>(probability) / 65536;
    bits_[slot] -= std::log2(value ? one : 1 - one);
    last_ = slot;
  }
  void add_even() { add_bits(1); }
  void add_bits(unsigned count) { bits_[last_] += count; }
  /// Makes the following decisions without a slot count for `slot`.
  void go_to(std::uint32_t slot) { last_ = slot; }
  void add_snapshot(std::size_t bytes) {
    last_ = 0;
    ++snapshots_;
    bytes_ += bytes;
  }

  /// The number of bits of each slot.
  const std::vector<double>& bits() const { return bits_; }
  std::uint64_t snapshots() const { return snapshots_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::vector<double> bits_;
  std::uint32_t last_ = 0;
  std::uint64_t snapshots_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace muster
