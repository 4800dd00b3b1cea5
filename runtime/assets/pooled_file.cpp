#include "runtime/assets/pooled_file.h"

#include <utility>

namespace muster {

PooledMemory ReadBuffers::take(std::size_t size_bytes) {
  if (size_bytes >= MemoryPool::kMinPooledBytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return pool_.take(size_bytes);
  }
  return {.bytes = std::make_unique_for_overwrite<std::byte[]>(size_bytes),
          .capacity_bytes = size_bytes};
}

void ReadBuffers::give_back(PooledMemory memory) {
  if (memory.capacity_bytes < MemoryPool::kMinPooledBytes) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  pool_.give_back(std::move(memory));
}

PooledFile::PooledFile(std::shared_ptr<ReadBuffers> buffers, std::size_t size_bytes)
    : buffers_(std::move(buffers)), memory_(buffers_->take(size_bytes)), size_bytes_(size_bytes) {}

PooledFile::~PooledFile() { buffers_->give_back(std::move(memory_)); }

}  // namespace muster
