#include "runtime/assets/pooled_file.h"

#include <limits>
#include <new>
#include <utility>

namespace muster {
namespace {

PooledMemory buffer_of(MemoryPool* memory, std::size_t size_bytes) {
  if (memory != nullptr) return memory->allocate(size_bytes);
  return {.bytes = std::make_unique_for_overwrite<std::byte[]>(size_bytes),
          .capacity_bytes = size_bytes};
}

}  // namespace

Result<std::unique_ptr<PooledFile>> PooledFile::make(const std::shared_ptr<MemoryPool>& memory,
                                                     std::uint64_t size_bytes,
                                                     const std::string& path) {
  if (size_bytes > std::numeric_limits<std::size_t>::max()) return fail_without_memory();
  try {
    return std::make_unique<PooledFile>(memory, static_cast<std::size_t>(size_bytes));
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::limit_exceeded,
                "no memory for the " + std::to_string(size_bytes) + " bytes of '" + path + "'");
  }
}

PooledFile::PooledFile(std::shared_ptr<MemoryPool> memory, std::size_t size_bytes)
    : memory_(std::move(memory)),
      buffer_(buffer_of(memory_.get(), size_bytes)),
      size_bytes_(size_bytes) {}

PooledFile::~PooledFile() {
  if (memory_) memory_->give_back(std::move(buffer_));
}

}  // namespace muster
