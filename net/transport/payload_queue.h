// Payloads that wait: to be sent, or to be read by the game.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster {

/// A short queue of byte strings with a number each. Its memory grows to what was needed once. The
/// slot that was free last is used first: a queue that is never long stays in the cache.
class PayloadQueue {
 public:
  explicit PayloadQueue(std::uint32_t capacity) : slots_(capacity), order_(capacity) {
    free_.reserve(capacity);
    for (std::uint32_t slot = capacity; slot-- > 0;) free_.push_back(slot);
  }

  bool has_room() const { return !free_.empty(); }
  bool is_empty() const { return begin_ == end_; }
  std::size_t count() const { return end_ - begin_; }
  std::size_t byte_count() const { return byte_count_; }

  /// Requires: `has_room()`.
  void push(std::span<const std::byte> bytes, std::uint64_t number) {
    assert(has_room());
    const std::uint32_t place = free_.back();
    slots_[place].bytes.assign(bytes.begin(), bytes.end());  // First: it may throw.
    slots_[place].number = number;
    free_.pop_back();
    order_[end_++ % order_.size()] = place;
    byte_count_ += bytes.size();
  }
  /// Requires: not empty. Good until `pop`.
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

  const Slot& front_slot() const { return slots_[order_[begin_ % order_.size()]]; }

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> order_;  ///< A ring of places in `slots_`.
  std::vector<std::uint32_t> free_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::size_t byte_count_ = 0;
};

}  // namespace muster
