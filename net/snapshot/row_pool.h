// Memory for rows of lanes of one length.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "net/snapshot/lane.h"

namespace muster {

/// Allocates and frees rows. The address of a row does not change. The pool grows by chunks, and
/// keeps its memory until it is destroyed.
class RowPool {
 public:
  explicit RowPool(std::size_t lanes) : lanes_(lanes) {}

  LaneValue* allocate() {
    if (free_.empty()) grow();
    LaneValue* row = free_.back();
    free_.pop_back();
    return row;
  }
  void give_back(LaneValue* row) { free_.push_back(row); }

  std::size_t lanes() const { return lanes_; }
  std::size_t memory_bytes() const {
    return chunks_.size() * (kChunkRows * lanes_ * sizeof(LaneValue)) +
           free_.capacity() * sizeof(LaneValue*);
  }

 private:
  static constexpr std::size_t kChunkRows = 64;

  void grow() {
    // Room for all rows, so that freeing never allocates.
    free_.reserve((chunks_.size() + 1) * kChunkRows);
    chunks_.push_back(std::make_unique<LaneValue[]>(kChunkRows * lanes_));
    for (std::size_t i = kChunkRows; i-- > 0;) free_.push_back(chunks_.back().get() + i * lanes_);
  }

  std::size_t lanes_;
  std::vector<std::unique_ptr<LaneValue[]>> chunks_;
  std::vector<LaneValue*> free_;
};

}  // namespace muster
