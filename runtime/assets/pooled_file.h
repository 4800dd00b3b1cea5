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

/// A whole file in memory. With a pool, its buffer comes from there, and returns when the file is
/// closed.
class PooledFile final : public HeldFile {
 public:
  /// `memory` may be null. Fails with `limit_exceeded` if there is no memory, because the file's
  /// size is not trusted. `path` is its name in the message.
  static Result<std::unique_ptr<PooledFile>> make(const std::shared_ptr<MemoryPool>& memory,
                                                  std::uint64_t size_bytes,
                                                  const std::string& path);
  PooledFile(std::shared_ptr<MemoryPool> memory, std::size_t size_bytes);
  ~PooledFile() override;
  PooledFile(const PooledFile&) = delete;
  PooledFile& operator=(const PooledFile&) = delete;

  Bytes bytes() const override { return {buffer_.bytes.get(), size_bytes_}; }
  /// The memory to read the file into. Its content is undefined.
  std::span<std::byte> target() { return {buffer_.bytes.get(), size_bytes_}; }
  /// The file has fewer bytes than expected. Requires: `bytes` is at most the size.
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
