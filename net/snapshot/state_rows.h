// The memory of a reader's entities: rows of values. The entity's type determines the length of its
// rows.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "net/snapshot/entity_track.h"
#include "net/snapshot/lane.h"

namespace muster {

/// A row of values for each index of the window, and one row for the newest state. The addresses of
/// the rows stay the same when this object is moved.
class StateRows {
 public:
  static constexpr std::size_t kNewest = kSnapshotWindow;

  StateRows() = default;
  explicit StateRows(std::size_t lanes) : values_(lanes * (kNewest + 1)), lanes_(lanes) {}

  LaneValue* row(std::size_t index) { return values_.data() + index * lanes_; }
  const LaneValue* row(std::size_t index) const { return values_.data() + index * lanes_; }
  /// The index of a row. Requires: `values` points to one of these rows, and a row has at least one
  /// lane.
  std::size_t index_of_row(const LaneValue* values) const {
    return static_cast<std::size_t>(values - values_.data()) / lanes_;
  }
  std::size_t lanes() const { return lanes_; }
  static std::size_t byte_count(std::size_t lanes) {
    return lanes * (kNewest + 1) * sizeof(LaneValue);
  }

 private:
  std::vector<LaneValue> values_;
  std::size_t lanes_ = 0;
};

/// Allocates and frees rows, and counts their memory.
class StateRowStore {
 public:
  explicit StateRowStore(std::size_t lanes_max) : spare_(lanes_max + 1) {}

  StateRows allocate(std::size_t lanes) {
    used_bytes_ += StateRows::byte_count(lanes);
    std::vector<StateRows>& spare = spare_[lanes];
    if (spare.empty()) return StateRows(lanes);
    spare_bytes_ -= StateRows::byte_count(lanes);
    StateRows rows = std::move(spare.back());
    spare.pop_back();
    return rows;
  }
  void give_back(StateRows rows) {
    used_bytes_ -= StateRows::byte_count(rows.lanes());
    spare_bytes_ += StateRows::byte_count(rows.lanes());
    spare_[rows.lanes()].push_back(std::move(rows));
  }
  void drop_spare() {
    for (std::vector<StateRows>& spare : spare_) spare.clear();
    spare_bytes_ = 0;
  }

  std::size_t used_bytes() const { return used_bytes_; }
  std::size_t spare_bytes() const { return spare_bytes_; }
  std::size_t memory_bytes() const {
    std::size_t bytes =
        used_bytes_ + spare_bytes_ + spare_.capacity() * sizeof(std::vector<StateRows>);
    for (const std::vector<StateRows>& spare : spare_)
      bytes += spare.capacity() * sizeof(StateRows);
    return bytes;
  }

 private:
  std::vector<std::vector<StateRows>> spare_;  ///< Free rows, indexed by their number of lanes.
  std::size_t used_bytes_ = 0;
  std::size_t spare_bytes_ = 0;
};

}  // namespace muster
