// Buffers that are used again.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace muster {

/// Bytes that their holder owns, not cleared. Move-only.
struct PooledMemory {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t capacity_bytes = 0;
};

/// Buffers of one size that wait, the first to come being the first to go. Keeps its own room.
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

/// Keeps the buffers of what was closed for what is opened next. Fresh memory costs a page fault
/// every 4 KiB, which is more than decompressing into it, and the allocator gives many small
/// buffers back to the system as well as a large one; a game that swaps one level for another of
/// its size pays that once. One pool serves a store, the threads that load for it and, where they
/// are given it, the sources that read: what lies in it counts as theirs. Safe from several threads
/// at once.
class MemoryPool {
 public:
  /// Smaller buffers are left to the allocator, which keeps those itself.
  static constexpr std::size_t kMinPooledBytes = std::size_t{1} << 10U;
  /// Smaller buffers are kept by size. There are eight sizes between one power of two and the next:
  /// what has another one gets up to an eighth more than it asks for.
  static constexpr std::size_t kMinLargeBytes = std::size_t{64} << 10U;
  /// What is kept beyond this is given back, the oldest first: about one level's textures.
  static constexpr std::size_t kMaxKeptBytes = std::size_t{256} << 20U;

  /// A buffer of at least `size_bytes`, and of less than twice that when it comes from the pool.
  /// Throws std::bad_alloc.
  PooledMemory take(std::size_t size_bytes);
  void give_back(PooledMemory memory) noexcept;

  std::size_t kept_bytes() const { return kept_bytes_; }
  /// Gives buffers back to the system until at most so many bytes are kept: large ones first, the
  /// oldest before the others.
  void shrink_to(std::size_t bytes) noexcept;

 private:
  static constexpr std::size_t kSizesPerDoubling = 8;
  static constexpr std::size_t kSmallSizes = 6 * kSizesPerDoubling;
  static_assert(kMinPooledBytes << 6U == kMinLargeBytes);

  static std::size_t rounded(std::size_t size_bytes);
  static std::size_t index_of(std::size_t size_bytes);
  PooledMemory take_small(std::size_t size_bytes);
  PooledMemory take_large(std::size_t size_bytes);
  void drop_beyond(std::size_t bytes) noexcept;

  std::mutex mutex_;
  std::array<BufferQueue, kSmallSizes> small_;  ///< By `index_of` their sizes.
  std::vector<PooledMemory> large_;             ///< The one given back last is at the end.
  /// Changed under the mutex only, read without it by those who ask whether there is anything to
  /// do.
  std::atomic<std::size_t> kept_bytes_ = 0;
};

}  // namespace muster
