// Payloads that wait: to be sent, or to be read by the game.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster {

/// A short queue of byte strings with a number each. Its memory grows to what was needed once.
class PayloadQueue {
 public:
  explicit PayloadQueue(std::uint32_t capacity) : slots_(capacity) {}

  bool has_room() const { return end_ - begin_ < slots_.size(); }
  bool is_empty() const { return begin_ == end_; }
  std::size_t byte_count() const { return byte_count_; }

  /// Requires: `has_room()`.
  void push(std::span<const std::byte> bytes, std::uint64_t number) {
    assert(has_room());
    Slot& slot = slots_[end_++ % slots_.size()];
    slot.bytes.assign(bytes.begin(), bytes.end());
    slot.number = number;
    byte_count_ += bytes.size();
  }
  /// Requires: not empty. Good until `pop`.
  std::span<const std::byte> front() const { return slots_[begin_ % slots_.size()].bytes; }
  std::uint64_t front_number() const { return slots_[begin_ % slots_.size()].number; }
  void pop() {
    assert(!is_empty());
    byte_count_ -= front().size();
    ++begin_;
  }

 private:
  struct Slot {
    std::vector<std::byte> bytes;
    std::uint64_t number = 0;
  };

  std::vector<Slot> slots_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::size_t byte_count_ = 0;
};

}  // namespace muster
