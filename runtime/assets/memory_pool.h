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

/// An owned buffer with uninitialised bytes. Move-only.
struct PooledMemory {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t capacity_bytes = 0;
};

/// A first-in, first-out queue of free buffers of one size. The queue never shrinks its own memory.
class BufferQueue {
 public:
  bool empty() const { return count_ == 0; }
  /// Throws std::bad_alloc.
  void push(PooledMemory memory);
  /// Requires: not empty.
  PooledMemory pop();

 private:
  std::vector<PooledMemory> ring_;  ///< The ring buffer. Its size is 0 or a power of two.
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

/// Keeps the buffers of closed bundles for later bundles. New memory causes one page fault every 4
/// KiB. These page faults take longer than the decompression into that memory. The allocator also
/// returns many small buffers to the system. With a pool, a game that replaces one level by another
/// level of the same size needs new memory only once. A store and the threads that load for the
/// store share one pool. The sources can use the same pool. Several threads may use the pool at the
/// same time.
class MemoryPool {
 public:
  /// Buffers below this size, in bytes, are not pooled: the allocator keeps them itself.
  static constexpr std::size_t kMinPooledBytes = std::size_t{1} << 10U;
  /// Buffers below this size, in bytes, are kept in one queue per size. There are eight sizes per
  /// power of two. A request is rounded up to the next size, which is at most one eighth larger.
  static constexpr std::size_t kMinLargeBytes = std::size_t{64} << 10U;
  /// If the pool keeps more bytes than this number, the pool frees the oldest buffers. The value is
  /// about the size of the textures of one level.
  static constexpr std::size_t kMaxKeptBytes = std::size_t{256} << 20U;

  /// A buffer of at least `size_bytes`. A reused buffer has less than twice that size. Throws
  /// std::bad_alloc.
  PooledMemory allocate(std::size_t size_bytes);
  void give_back(PooledMemory memory) noexcept;

  std::size_t kept_bytes() const { return kept_bytes_; }
  /// Frees buffers until the pool keeps at most `bytes`. Frees large buffers before small buffers,
  /// and older buffers before newer buffers.
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
  /// The queues of small buffers, by `index_of` of their size.
  std::array<BufferQueue, kSmallSizes> small_;
  /// The large buffers. The most recently returned buffer is the last.
  std::vector<PooledMemory> large_;
  /// The total size of the kept buffers. Only code that holds the mutex changes this number; any
  /// thread may read it.
  std::atomic<std::size_t> kept_bytes_ = 0;
};

}  // namespace muster
