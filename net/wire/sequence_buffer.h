// A ring buffer of the last N elements, with sequence numbers as keys.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster {

/// A ring buffer of elements whose keys are 32-bit sequence numbers. Number `n` is in slot `n mod
/// capacity`, and the slot's tag is the number. The number `n` replaces the number `n - capacity`.
/// Allocates on construction only. Each call except `clear` takes constant time. Only one thread at
/// a time may use this object.
///
///     SequenceBuffer<SentPacket> sent(256);
///     sent.acquire(sequence) = {.sent_at = now};
///     if (SentPacket* packet = sent.find(acked)) ...
template <typename Element>
class SequenceBuffer {
 public:
  /// Requires: `capacity` is a power of two, so that successive numbers have successive slots even
  /// when they wrap at 2^32.
  explicit SequenceBuffer(std::size_t capacity) : tags_(capacity, kEmpty), elements_(capacity) {
    assert(capacity > 0);
    assert((capacity & (capacity - 1)) == 0);
  }

  std::size_t capacity() const { return tags_.size(); }

  bool contains(std::uint32_t sequence) const { return tags_[slot_of(sequence)] == sequence; }

  /// Returns the element of a number; null if the buffer does not contain the number. The pointer
  /// is valid until the slot is acquired again.
  Element* find(std::uint32_t sequence) {
    return contains(sequence) ? &elements_[slot_of(sequence)] : nullptr;
  }
  const Element* find(std::uint32_t sequence) const {
    return contains(sequence) ? &elements_[slot_of(sequence)] : nullptr;
  }

  /// True when the slot for `sequence` is empty.
  bool is_available(std::uint32_t sequence) const { return tags_[slot_of(sequence)] == kEmpty; }

  /// Assigns the slot to `sequence`, replacing any other number, and returns the element. Set every
  /// member of the element: the element still has the old contents of the slot, so that memory is
  /// reused.
  Element& acquire(std::uint32_t sequence) {
    tags_[slot_of(sequence)] = sequence;
    return elements_[slot_of(sequence)];
  }

  /// Removes a number. Does nothing if the buffer does not contain the number.
  void remove(std::uint32_t sequence) {
    if (contains(sequence)) tags_[slot_of(sequence)] = kEmpty;
  }

  void clear() { std::ranges::fill(tags_, kEmpty); }

 private:
  /// The tag of an empty slot. It is larger than every 32-bit number, so every sequence number can
  /// be stored.
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  std::size_t slot_of(std::uint32_t sequence) const { return sequence & (tags_.size() - 1); }

  std::vector<std::uint64_t> tags_;
  std::vector<Element> elements_;
};

}  // namespace muster
