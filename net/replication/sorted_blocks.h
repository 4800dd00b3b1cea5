// A container of items that are sorted by id. The items are stored in blocks, so that thousands of
// items can be added and removed per tick.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace muster {

/// Items sorted by their member `id`. Adding or removing an item moves at most one block of items.
/// Not thread-safe, but any number of threads may read at the same time.
template <typename Item>
class SortedBlocks {
  using Block = std::vector<Item>;

 public:
  using Id = decltype(Item::id);
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Item;
    using difference_type = std::ptrdiff_t;
    using pointer = const Item*;
    using reference = const Item&;

    Iterator() = default;
    reference operator*() const { return (*blocks_)[block_][index_]; }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
      if (++index_ == (*blocks_)[block_].size()) {
        ++block_;
        index_ = 0;
      }
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    friend class SortedBlocks;
    Iterator(const std::vector<Block>& blocks, std::size_t block)
        : blocks_(&blocks), block_(block) {}

    const std::vector<Block>* blocks_ = nullptr;
    std::size_t block_ = 0;
    std::size_t index_ = 0;
  };

  Iterator begin() const { return {blocks_, 0}; }
  Iterator end() const { return {blocks_, blocks_.size()}; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// Returns null if no item has this id. The result is valid until the next `add` or `remove`.
  const Item* find(Id id) const;
  Item* find(Id id);
  /// Requires: no item has this id. The result is valid until the next `add` or `remove`.
  Item& add(const Item& item);
  /// Requires: an item has this id.
  void remove(Id id);
  void clear();
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kBlockMax = 64;

  std::size_t block_of(Id id) const;
  void insert_block(std::size_t at);
  void remove_block(std::size_t at);
  void merge_with_next(std::size_t at);

  std::vector<Block> blocks_;  ///< No block is empty.
  std::vector<Id> first_ids_;  ///< One per block.
  std::vector<Block> spare_;   ///< Empty blocks whose memory is reused.
  std::size_t size_ = 0;
};

/// Returns the last block that begins at or before the id, or the first block.
template <typename Item>
std::size_t SortedBlocks<Item>::block_of(Id id) const {
  const auto after = std::ranges::upper_bound(first_ids_, id);
  return after == first_ids_.begin() ? 0 : static_cast<std::size_t>(after - first_ids_.begin()) - 1;
}

template <typename Item>
const Item* SortedBlocks<Item>::find(Id id) const {
  if (blocks_.empty()) return nullptr;
  const Block& block = blocks_[block_of(id)];
  const auto found = std::ranges::lower_bound(block, id, {}, &Item::id);
  return found != block.end() && found->id == id ? &*found : nullptr;
}

template <typename Item>
Item* SortedBlocks<Item>::find(Id id) {
  return const_cast<Item*>(std::as_const(*this).find(id));
}

template <typename Item>
Item& SortedBlocks<Item>::add(const Item& item) {
  if (blocks_.empty()) insert_block(0);
  std::size_t at = block_of(item.id);
  if (blocks_[at].size() == kBlockMax) {
    insert_block(at + 1);
    Block& full = blocks_[at];
    // If ids are added in ascending order, the blocks are filled completely.
    const bool is_last = at + 2 == blocks_.size() && item.id > full.back().id;
    if (!is_last) {
      const auto half = full.begin() + kBlockMax / 2;
      blocks_[at + 1].assign(half, full.end());
      full.erase(half, full.end());
      first_ids_[at + 1] = blocks_[at + 1].front().id;
    }
    if (is_last || item.id > first_ids_[at + 1]) ++at;
  }
  Block& block = blocks_[at];
  const auto next = std::ranges::lower_bound(block, item.id, {}, &Item::id);
  assert(next == block.end() || next->id != item.id);
  ++size_;
  Item& added = *block.insert(next, item);
  first_ids_[at] = block.front().id;
  return added;
}

template <typename Item>
void SortedBlocks<Item>::remove(Id id) {
  const std::size_t at = block_of(id);
  Block& block = blocks_[at];
  const auto found = std::ranges::lower_bound(block, id, {}, &Item::id);
  assert(found != block.end() && found->id == id);
  block.erase(found);
  --size_;
  if (block.empty()) return remove_block(at);
  first_ids_[at] = block.front().id;
  merge_with_next(at);
  if (at > 0) merge_with_next(at - 1);
}

/// Merges two neighbours with few items into one block. So after each removal, the block and its
/// neighbour together have more than half a block of items. There are at most about four times as
/// many blocks as needed.
template <typename Item>
void SortedBlocks<Item>::merge_with_next(std::size_t at) {
  if (at + 1 == blocks_.size()) return;
  Block& block = blocks_[at];
  const Block& next = blocks_[at + 1];
  if (block.size() + next.size() > kBlockMax / 2) return;
  block.insert(block.end(), next.begin(), next.end());
  remove_block(at + 1);
}

template <typename Item>
void SortedBlocks<Item>::insert_block(std::size_t at) {
  Block block;
  if (!spare_.empty()) {
    block = std::move(spare_.back());
    spare_.pop_back();
  }
  block.reserve(kBlockMax);
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at), std::move(block));
  first_ids_.insert(first_ids_.begin() + static_cast<std::ptrdiff_t>(at), Id{});
}

template <typename Item>
void SortedBlocks<Item>::remove_block(std::size_t at) {
  blocks_[at].clear();
  spare_.push_back(std::move(blocks_[at]));
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at));
  first_ids_.erase(first_ids_.begin() + static_cast<std::ptrdiff_t>(at));
}

template <typename Item>
void SortedBlocks<Item>::clear() {
  while (!blocks_.empty()) remove_block(blocks_.size() - 1);
  size_ = 0;
}

template <typename Item>
std::size_t SortedBlocks<Item>::memory_bytes() const {
  const std::size_t block_bytes = kBlockMax * sizeof(Item);
  return (blocks_.size() + spare_.size()) * block_bytes +
         (blocks_.capacity() + spare_.capacity()) * sizeof(Block) +
         first_ids_.capacity() * sizeof(std::uint32_t);
}

}  // namespace muster
