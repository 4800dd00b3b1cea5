// Stores values under ids that are never used twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace muster {

/// Stores values under 64-bit ids. The low half of an id is the slot, and the high half is the
/// generation of the slot. An id is never zero and never used twice, so `find` returns null for an
/// id that was removed or never returned. Only one thread at a time may use the table.
template <typename Value>
class SlotTable {
 public:
  explicit SlotTable(std::size_t slots_max) : slots_max_(slots_max) {}

  std::size_t size() const { return slots_.size() - free_.size() - retired_; }
  bool is_full() const { return free_.empty() && slots_.size() >= slots_max_; }

  /// Requires: `!is_full()`.
  std::uint64_t add(Value value) {
    if (free_.empty()) {
      // Reserve for all slots, so that `remove` cannot fail.
      if (free_.capacity() <= slots_.size()) free_.reserve(2 * slots_.size() + 8);
      slots_.emplace_back();
      free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    Slot& slot = slots_[index];
    slot.value.emplace(std::move(value));
    return (std::uint64_t{slot.generation} << 32U) | index;
  }

  /// The value of an id. Null if the id is zero, was removed or was never returned. Valid until the
  /// next `add` or `remove`.
  Value* find(std::uint64_t id) {
    const auto index = static_cast<std::uint32_t>(id);
    if (index >= slots_.size()) return nullptr;
    Slot& slot = slots_[index];
    return slot.value && slot.generation == id >> 32U ? &*slot.value : nullptr;
  }

  /// Destroys the value of an id. Returns false if there is no such value.
  bool remove(std::uint64_t id) {
    if (find(id) == nullptr) return false;
    const auto index = static_cast<std::uint32_t>(id);
    Slot& slot = slots_[index];
    slot.value.reset();
    // A slot that has used all its generations is never used again.
    if (++slot.generation == 0) {
      ++retired_;
    } else {
      free_.push_back(index);
    }
    return true;
  }

 private:
  struct Slot {
    std::uint32_t generation = 1;
    std::optional<Value> value;
  };
  std::size_t slots_max_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t retired_ = 0;
};

}  // namespace muster
