// Files that were read into buffers which may serve again.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/assets/bundle_source.h"
#include "runtime/assets/memory_pool.h"

namespace muster {

/// A whole file in memory. With a pool, its buffer comes from there, and goes back when the file is
/// closed.
class PooledFile final : public HeldFile {
 public:
  /// `memory` may be null. Fails with `limit_exceeded` when there is no memory: how large a file
  /// is, somebody else decides. `place` is its name in the message.
  static Result<std::unique_ptr<PooledFile>> make(const std::shared_ptr<MemoryPool>& memory,
                                                  std::uint64_t size_bytes,
                                                  const std::string& place);
  PooledFile(std::shared_ptr<MemoryPool> memory, std::size_t size_bytes);
  ~PooledFile() override;
  PooledFile(const PooledFile&) = delete;
  PooledFile& operator=(const PooledFile&) = delete;

  Bytes bytes() const override { return {buffer_.bytes.get(), size_bytes_}; }
  /// Where the file is to be read to. Its content is anything.
  std::span<std::byte> target() { return {buffer_.bytes.get(), size_bytes_}; }
  /// It has fewer bytes than it was made for. Requires: `bytes` is no more than that.
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
