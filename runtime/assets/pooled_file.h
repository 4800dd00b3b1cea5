// Files in reusable buffers.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/assets/bundle_source.h"
#include "runtime/assets/memory_pool.h"

namespace muster {

/// A whole file in memory. If there is a pool, the buffer comes from the pool, and returns to the
/// pool when the file is closed.
class PooledFile final : public BundleFile {
 public:
  /// Fails with `limit_exceeded` if there is not enough memory, because the size of a file is not
  /// trusted. `memory` may be null. `path` is the file's name in the message.
  static Result<std::unique_ptr<PooledFile>> make(const std::shared_ptr<MemoryPool>& memory,
                                                  std::uint64_t size_bytes,
                                                  const std::string& path);
  PooledFile(std::shared_ptr<MemoryPool> memory, std::size_t size_bytes);
  ~PooledFile() override;
  PooledFile(const PooledFile&) = delete;
  PooledFile& operator=(const PooledFile&) = delete;

  Bytes bytes() const override { return {buffer_.bytes.get(), size_bytes_}; }
  /// The memory to read the file into. The content of this memory is undefined.
  std::span<std::byte> target() { return {buffer_.bytes.get(), size_bytes_}; }
  /// Reduces the size of a file that has fewer bytes than expected. Requires: `bytes` is at most
  /// the current size.
  void cut_to(std::size_t bytes) {
    assert(bytes <= size_bytes_);
    size_bytes_ = bytes;
  }

 private:
  std::shared_ptr<MemoryPool> memory_;
  PooledMemory buffer_;
  std::size_t size_bytes_;
};

}  // namespace muster
