// Files that were read into buffers which serve again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/assets/bundle_source.h"
#include "runtime/assets/memory_pool.h"

namespace muster {

/// The buffers of a source that reads, for several threads at once. It lives as long as the last
/// file that was read into one of them.
class ReadBuffers {
 public:
  PooledMemory take(std::size_t size_bytes);
  void give_back(PooledMemory memory);

 private:
  std::mutex mutex_;
  MemoryPool pool_;
};

/// A whole file in such a buffer, which goes back when the file is closed.
class PooledFile final : public HeldFile {
 public:
  /// Fails with `limit_exceeded` when there is no memory: how large a file is, somebody else
  /// decides. `place` is its name in the message.
  static Result<std::unique_ptr<PooledFile>> make(const std::shared_ptr<ReadBuffers>& buffers,
                                                  std::uint64_t size_bytes,
                                                  const std::string& place);
  PooledFile(std::shared_ptr<ReadBuffers> buffers, std::size_t size_bytes);
  ~PooledFile() override;
  PooledFile(const PooledFile&) = delete;
  PooledFile& operator=(const PooledFile&) = delete;

  Bytes bytes() const override { return {memory_.bytes.get(), size_bytes_}; }
  /// Where the file is to be read to. Its content is anything.
  std::span<std::byte> target() { return {memory_.bytes.get(), size_bytes_}; }

 private:
  std::shared_ptr<ReadBuffers> buffers_;
  PooledMemory memory_;
  std::size_t size_bytes_;
};

}  // namespace muster
