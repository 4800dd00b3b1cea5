// The last so many things by sequence number, in memory that was allocated once.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster {

/// A ring of elements that are found by their wide sequence number: number `n` lives in slot
/// `n mod capacity`, with a tag that says which number is there. A newer number takes the slot of
/// the one a whole capacity before it. Allocates on construction only; every call is one array
/// access. One thread at a time.
///
///     SequenceBuffer<SentPacket> sent(256);
///     sent.acquire(sequence) = {.sent_at = now};
///     if (SentPacket* packet = sent.find(acked)) ...
template <typename Element>
class SequenceBuffer {
 public:
  /// Requires: a power of two, so that slots stay in step when the numbers wrap at 2^32.
  explicit SequenceBuffer(std::size_t capacity) : tags_(capacity, kEmpty), elements_(capacity) {
    assert(capacity > 0);
    assert((capacity & (capacity - 1)) == 0);
  }

  std::size_t capacity() const { return tags_.size(); }

  bool contains(std::uint32_t sequence) const { return tags_[slot_of(sequence)] == sequence; }

  /// The element of a number; null when another is in its slot, or none. The pointer is good until
  /// its slot is acquired anew.
  Element* find(std::uint32_t sequence) {
    return contains(sequence) ? &elements_[slot_of(sequence)] : nullptr;
  }
  const Element* find(std::uint32_t sequence) const {
    return contains(sequence) ? &elements_[slot_of(sequence)] : nullptr;
  }

  /// True when nothing is in the slot that `sequence` would take.
  bool is_available(std::uint32_t sequence) const { return tags_[slot_of(sequence)] == kEmpty; }

  /// Puts `sequence` into its slot, whatever was there, and returns the element. It holds what the
  /// slot held before: memory that it owns is reused, and the caller sets every part.
  Element& acquire(std::uint32_t sequence) {
    tags_[slot_of(sequence)] = sequence;
    return elements_[slot_of(sequence)];
  }

  /// Forgets a number; nothing happens when it is not there.
  void remove(std::uint32_t sequence) {
    if (contains(sequence)) tags_[slot_of(sequence)] = kEmpty;
  }

  void clear() { std::ranges::fill(tags_, kEmpty); }

 private:
  /// No 32-bit number is this, so every number can be stored, whoever sent it.
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  std::size_t slot_of(std::uint32_t sequence) const { return sequence & (tags_.size() - 1); }

  std::vector<std::uint64_t> tags_;
  std::vector<Element> elements_;
};

}  // namespace muster
