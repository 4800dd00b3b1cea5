// Reusable buffers.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace muster {

/// Owned bytes, not cleared. Move-only.
struct PooledMemory {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t capacity_bytes = 0;
};

/// Free buffers of one size, first in, first out. Keeps its memory.
class BufferQueue {
 public:
  bool empty() const { return count_ == 0; }
  /// Throws std::bad_alloc.
  void push(PooledMemory memory);
  /// Requires: not empty.
  PooledMemory pop();

 private:
  std::vector<PooledMemory> ring_;  ///< A power of two, or empty.
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

/// Keeps the buffers of closed bundles for later bundles. New memory costs a page fault every 4
/// KiB, which takes longer than decompressing into it. The allocator also returns many small
/// buffers to the system. With a pool, a game that replaces a level by another one of the same size
/// needs new memory only once. One pool serves a store, the threads that load for it and, if passed
/// to them, the sources. Several threads may use it.
class MemoryPool {
 public:
  /// Smaller buffers are left to the allocator, which keeps them itself.
  static constexpr std::size_t kMinPooledBytes = std::size_t{1} << 10U;
  /// Smaller buffers are kept by size. There are eight sizes per power of two; a request is rounded
  /// up to the next size, which is at most an eighth more.
  static constexpr std::size_t kMinLargeBytes = std::size_t{64} << 10U;
  /// If more than this is kept, the oldest buffers are freed. It is about the size of one level's
  /// textures.
  static constexpr std::size_t kMaxKeptBytes = std::size_t{256} << 20U;

  /// A buffer of at least `size_bytes`. A reused buffer has less than twice that size. Throws
  /// std::bad_alloc.
  PooledMemory allocate(std::size_t size_bytes);
  void give_back(PooledMemory memory) noexcept;

  std::size_t kept_bytes() const { return kept_bytes_; }
  /// Frees buffers until at most `bytes` are kept: large ones first, oldest first.
  void shrink_to(std::size_t bytes) noexcept;

 private:
  static constexpr std::size_t kSizesPerDoubling = 8;
  static constexpr std::size_t kSmallSizes = 6 * kSizesPerDoubling;
  static_assert(kMinPooledBytes << 6U == kMinLargeBytes);

  static std::size_t rounded(std::size_t size_bytes);
  static std::size_t index_of(std::size_t size_bytes);
  PooledMemory allocate_small(std::size_t size_bytes);
  PooledMemory allocate_large(std::size_t size_bytes);
  void drop_beyond(std::size_t bytes) noexcept;

  std::mutex mutex_;
  std::array<BufferQueue, kSmallSizes> small_;  ///< By `index_of` their sizes.
  std::vector<PooledMemory> large_;             ///< The last returned one is at the end.
  /// Changed only under the mutex; read without it to check whether there is work.
  std::atomic<std::size_t> kept_bytes_ = 0;
};

}  // namespace muster
