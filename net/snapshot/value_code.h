// Codes single numbers and symbols as decisions. The caller passes the slots of these decisions.
// See SNAPSHOT_FORMAT.md, "Entities".
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "net/snapshot/decision_coder.h"
#include "net/snapshot/slots.h"
#include "net/snapshot/snapshot_model.h"

namespace muster {

// The first nodes of decisions that a lane makes several times with the same contexts. The nodes 0
// to 4 belong to decisions that a lane makes once.
inline constexpr std::uint32_t kNodeOfTree = 8;      // and the 15 nodes after it
inline constexpr std::uint32_t kNodeOfLengths = 32;  // and the 33 nodes after it
inline constexpr std::uint32_t kNodeOfLowBits = 72;

/// Codes a number of at least 1 and at most 33 bits: its length in unary, then the bits after the
/// leading 1.
template <DecisionCoder Coder>
std::uint64_t code_magnitude(Coder& coder, std::uint32_t lengths, std::uint32_t low,
                             std::uint64_t value) {
  constexpr unsigned kLongest = 33;
  unsigned length = 1;
  const auto whole = static_cast<unsigned>(std::bit_width(value));
  while (length < kLongest && decide(coder, lengths + std::min(length, slots::kLengths) - 1,
                                     kNodeOfLengths + length, whole > length)) {
    ++length;
  }
  const std::uint32_t nodes = low + (std::min(length, slots::kLengths) - 1) * slots::kLowNodes;
  std::uint64_t result = 1;
  for (unsigned done = 0; done + 1 < length; ++done) {
    const bool bit = ((value >> (length - 2 - done)) & 1) != 0;
    // Seven nodes for the three bits after the leading 1: one for the first bit, two for the second
    // bit and four for the third bit.
    const auto node = static_cast<std::uint32_t>(result - 1);
    const bool is_even = done >= 3;
    result = result * 2 +
             ((is_even ? coder.even_bit(bit)
                       : decide(coder, nodes + node, kNodeOfLowBits + length * 8 + node, bit))
                  ? 1
                  : 0);
  }
  return result;
}

/// Codes a symbol of `bits` bits, highest bit first. The probability of a bit depends on the bits
/// before it.
template <DecisionCoder Coder>
std::uint64_t code_tree(Coder& coder, std::uint32_t first_slot, unsigned bits,
                        std::uint64_t value) {
  std::uint32_t node = 1;
  for (unsigned i = bits; i-- > 0;) {
    const bool bit = ((value >> i) & 1) != 0;
    node = node * 2 + (decide(coder, first_slot + node, kNodeOfTree + node, bit) ? 1 : 0);
  }
  return node - (1U << bits);
}

/// Codes a value relative to its lane's initial value. Returns false if a decoder reads a value out
/// of range.
template <DecisionCoder Coder>
bool code_whole(Coder& coder, const LaneModel& model, std::uint32_t first_slot, LaneValue& lane) {
  const std::int64_t initial = model.initial_value;
  if (!decide(coder, first_slot, 3, lane != initial)) {
    lane = static_cast<LaneValue>(initial);
    return true;
  }
  if (model.kind == LaneKind::opaque) {
    std::uint64_t value = 0;
    for (auto i = static_cast<unsigned>(std::bit_width(model.maximum)); i-- > 0;) {
      value = value * 2 + (coder.even_bit(((lane >> i) & 1) != 0) ? 1 : 0);
    }
    if (value > model.maximum) return false;
    lane = static_cast<LaneValue>(value);
    return true;
  }
  const std::int64_t off = std::int64_t{lane} - initial;
  const bool is_less = decide(coder, first_slot + 1, 4, off < 0);
  const auto magnitude = static_cast<std::int64_t>(
      code_magnitude(coder, first_slot + 2, first_slot + 2 + slots::kLengths,
                     static_cast<std::uint64_t>(std::abs(off))));
  const std::int64_t value = is_less ? initial - magnitude : initial + magnitude;
  if (value < 0 || value > std::int64_t{model.maximum}) return false;
  lane = static_cast<LaneValue>(value);
  return true;
}

}  // namespace muster
