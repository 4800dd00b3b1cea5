#include "runtime/assets/memory_pool.h"

#include <algorithm>
#include <new>
#include <utility>

namespace muster {

PooledMemory MemoryPool::take(std::size_t size_bytes) {
  if (size_bytes >= kMinPooledBytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    // From the end: what was used last is most likely still in a cache. Buffers are few.
    for (std::size_t i = kept_.size(); i-- > 0;) {
      const std::size_t capacity = kept_[i].capacity_bytes;
      if (capacity < size_bytes || capacity / 2 >= size_bytes) continue;
      PooledMemory memory = std::move(kept_[i]);
      kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(i));
      kept_bytes_ -= capacity;
      return memory;
    }
  }
  return {.bytes = std::make_unique_for_overwrite<std::byte[]>(size_bytes),
          .capacity_bytes = size_bytes};
}

void MemoryPool::give_back(PooledMemory memory) noexcept {
  const std::size_t capacity = memory.capacity_bytes;
  if (capacity < kMinPooledBytes || capacity > kMaxKeptBytes) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  try {
    kept_.push_back(std::move(memory));
  } catch (const std::bad_alloc&) {
    return;  // Without room for a pointer to it, the buffer is better given back to the system.
  }
  kept_bytes_ += capacity;
  drop_beyond(kMaxKeptBytes);
}

std::size_t MemoryPool::kept_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return kept_bytes_;
}

void MemoryPool::shrink_to(std::size_t bytes) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  drop_beyond(bytes);
}

void MemoryPool::drop_beyond(std::size_t bytes) noexcept {
  std::size_t dropped = 0;
  for (; kept_bytes_ > bytes; ++dropped) kept_bytes_ -= kept_[dropped].capacity_bytes;
  kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(dropped));
}

}  // namespace muster
