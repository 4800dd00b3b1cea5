#include "runtime/assets/pooled_file.h"

#include <limits>
#include <new>
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

Result<std::unique_ptr<PooledFile>> PooledFile::make(const std::shared_ptr<ReadBuffers>& buffers,
                                                     std::uint64_t size_bytes,
                                                     const std::string& place) {
  if (size_bytes > std::numeric_limits<std::size_t>::max()) return fail_without_memory();
  try {
    return std::make_unique<PooledFile>(buffers, static_cast<std::size_t>(size_bytes));
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::limit_exceeded,
                "no memory for the " + std::to_string(size_bytes) + " bytes of '" + place + "'");
  }
}

PooledFile::PooledFile(std::shared_ptr<ReadBuffers> buffers, std::size_t size_bytes)
    : buffers_(std::move(buffers)), memory_(buffers_->take(size_bytes)), size_bytes_(size_bytes) {}

PooledFile::~PooledFile() { buffers_->give_back(std::move(memory_)); }

}  // namespace muster
