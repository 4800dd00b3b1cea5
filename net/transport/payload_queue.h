// A queue of payloads that wait to be sent or to be read by the game.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace muster {

/// A queue of payloads, each with a number. Memory is kept for reuse. The most recently freed slot
/// is used first, so the memory of a short queue stays in the processor's cache.
class PayloadQueue {
 public:
  explicit PayloadQueue(std::uint32_t count_max) : count_max_(count_max) {}

  bool has_room() const { return count() < count_max_; }
  bool is_empty() const { return begin_ == end_; }
  std::size_t count() const { return end_ - begin_; }
  std::size_t byte_count() const { return byte_count_; }

  /// Requires: `has_room()`.
  void push(std::span<const std::byte> bytes, std::uint64_t number) {
    assert(has_room());
    if (free_.empty()) grow();  // `grow` may throw, so it is called before any change.
    const std::uint32_t slot = free_.back();
    slots_[slot].bytes.assign(bytes.begin(), bytes.end());
    slots_[slot].number = number;
    free_.pop_back();
    order_[end_++ % order_.size()] = slot;
    byte_count_ += bytes.size();
  }
  /// The oldest payload. Valid until `pop`. Requires: the queue is not empty.
  std::span<const std::byte> front() const { return front_slot().bytes; }
  std::uint64_t front_number() const { return front_slot().number; }
  void pop() {
    assert(!is_empty());
    byte_count_ -= front().size();
    free_.push_back(order_[begin_++ % order_.size()]);
  }

 private:
  struct Slot {
    std::vector<std::byte> bytes;
    std::uint64_t number = 0;
  };

  static constexpr std::size_t kFirstSlots = 16;

  const Slot& front_slot() const { return slots_[order_[begin_ % order_.size()]]; }

  /// Doubles the slots. Leaves the queue unchanged if it throws.
  void grow() {
    const std::size_t before = order_.size();
    const std::size_t after = std::min<std::size_t>(std::max(2 * before, kFirstSlots), count_max_);
    std::vector<std::uint32_t> order(after);
    for (std::uint64_t i = begin_; i < end_; ++i) order[i - begin_] = order_[i % before];
    free_.reserve(after);
    slots_.resize(after);
    for (std::size_t slot = after; slot-- > before;) {
      free_.push_back(static_cast<std::uint32_t>(slot));
    }
    order_ = std::move(order);
    end_ -= begin_;
    begin_ = 0;
  }

  std::uint32_t count_max_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> order_;  ///< A ring of indices into `slots_`.
  std::vector<std::uint32_t> free_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::size_t byte_count_ = 0;
};

}  // namespace muster
