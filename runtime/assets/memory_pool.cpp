#include "runtime/assets/memory_pool.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <new>
#include <utility>

namespace muster {
namespace {

PooledMemory fresh(std::size_t size_bytes) {
  PooledMemory memory;
  memory.bytes = std::make_unique_for_overwrite<std::byte[]>(size_bytes);
  memory.capacity_bytes = size_bytes;
  return memory;
}

}  // namespace

void BufferQueue::push(PooledMemory memory) {
  if (count_ == ring_.size()) {
    std::vector<PooledMemory> larger(std::max<std::size_t>(2 * ring_.size(), 4));
    const auto middle = ring_.begin() + static_cast<std::ptrdiff_t>(first_);
    std::move(ring_.begin(), middle, std::move(middle, ring_.end(), larger.begin()));
    ring_ = std::move(larger);
    first_ = 0;
  }
  ring_[(first_ + count_++) & (ring_.size() - 1)] = std::move(memory);
}

PooledMemory BufferQueue::pop() {
  assert(!empty());
  --count_;
  return std::move(ring_[std::exchange(first_, (first_ + 1) & (ring_.size() - 1))]);
}

// Rounds up to the next size of small buffers.
std::size_t MemoryPool::rounded(std::size_t size_bytes) {
  const std::size_t step = std::bit_floor(size_bytes) / kSizesPerDoubling;
  return (size_bytes + step - 1) & ~(step - 1);
}

// The index of the largest size of small buffers that is at most `size_bytes`.
std::size_t MemoryPool::index_of(std::size_t size_bytes) {
  const std::size_t below = std::bit_floor(size_bytes);
  const int doublings = std::countr_zero(below) - std::countr_zero(kMinPooledBytes);
  const int step_bits = std::countr_zero(below) - std::countr_zero(kSizesPerDoubling);
  return static_cast<std::size_t>(doublings) * kSizesPerDoubling +
         ((size_bytes - below) >> static_cast<unsigned>(step_bits));
}

PooledMemory MemoryPool::allocate(std::size_t size_bytes) {
  if (size_bytes < kMinPooledBytes) return fresh(size_bytes);
  const std::size_t small_bytes = rounded(size_bytes);
  return small_bytes < kMinLargeBytes ? allocate_small(small_bytes)
                                      : allocate_large(std::max(size_bytes, kMinLargeBytes));
}

PooledMemory MemoryPool::allocate_small(std::size_t size_bytes) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    BufferQueue& kept = small_[index_of(size_bytes)];
    if (!kept.empty()) {
      PooledMemory memory = kept.pop();
      kept_bytes_ -= memory.capacity_bytes;
      return memory;
    }
  }
  return fresh(size_bytes);
}

PooledMemory MemoryPool::allocate_large(std::size_t size_bytes) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Chooses the smallest buffer that fits, because larger buffers may be needed later. If several
    // buffers have the same size, chooses the last of them, which is most likely still in a cache.
    // A linear search is fast enough, because there are few buffers.
    std::size_t best = large_.size();
    std::size_t best_bytes = 2 * size_bytes;
    for (std::size_t i = large_.size(); i-- > 0 && best_bytes != size_bytes;) {
      const std::size_t capacity = large_[i].capacity_bytes;
      if (capacity < size_bytes || capacity >= best_bytes) continue;
      best = i;
      best_bytes = capacity;
    }
    if (best < large_.size()) {
      PooledMemory memory = std::move(large_[best]);
      large_.erase(large_.begin() + static_cast<std::ptrdiff_t>(best));
      kept_bytes_ -= best_bytes;
      return memory;
    }
  }
  return fresh(size_bytes);
}

void MemoryPool::give_back(PooledMemory memory) noexcept {
  const std::size_t capacity = memory.capacity_bytes;
  if (capacity < kMinPooledBytes || capacity > kMaxKeptBytes) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  try {
    if (capacity < kMinLargeBytes) {
      small_[index_of(capacity)].push(std::move(memory));
    } else {
      large_.push_back(std::move(memory));
    }
  } catch (const std::bad_alloc&) {
    return;  // If the list cannot grow, the buffer is freed.
  }
  kept_bytes_ += capacity;
  drop_beyond(kMaxKeptBytes);
}

void MemoryPool::shrink_to(std::size_t bytes) noexcept {
  if (kept_bytes_ <= bytes) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  drop_beyond(bytes);
}

void MemoryPool::drop_beyond(std::size_t bytes) noexcept {
  std::size_t dropped = 0;
  for (; kept_bytes_ > bytes && dropped < large_.size(); ++dropped) {
    kept_bytes_ -= large_[dropped].capacity_bytes;
  }
  large_.erase(large_.begin(), large_.begin() + static_cast<std::ptrdiff_t>(dropped));
  for (BufferQueue& kept : small_) {
    while (kept_bytes_ > bytes && !kept.empty()) kept_bytes_ -= kept.pop().capacity_bytes;
    if (kept_bytes_ <= bytes) return;
  }
}

}  // namespace muster
