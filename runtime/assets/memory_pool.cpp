#include "runtime/assets/memory_pool.h"

namespace muster {

PooledMemory MemoryPool::take(std::size_t size_bytes) {
  if (size_bytes >= kMinPooledBytes) {
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

void MemoryPool::give_back(PooledMemory memory) {
  if (memory.capacity_bytes < kMinPooledBytes || memory.capacity_bytes > kMaxKeptBytes) return;
  kept_bytes_ += memory.capacity_bytes;
  kept_.push_back(std::move(memory));
  while (kept_bytes_ > kMaxKeptBytes) {
    kept_bytes_ -= kept_.front().capacity_bytes;
    kept_.erase(kept_.begin());
  }
}

}  // namespace muster
