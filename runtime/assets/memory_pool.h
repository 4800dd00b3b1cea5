// Large buffers that are used again.
#pragma once

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

/// Keeps the large buffers of what was closed for what is opened next. Fresh memory costs a page
/// fault every 4 KiB, which is more than decompressing into it; a game that swaps one level for
/// another of its size pays that once. One pool serves a store, the threads that load for it and,
/// where they are given it, the sources that read: what lies in it counts as theirs. Safe from
/// several threads at once.
class MemoryPool {
 public:
  /// Smaller buffers are left to the allocator, which keeps those itself.
  static constexpr std::size_t kMinPooledBytes = std::size_t{64} << 10U;
  /// What is kept beyond this is given back, the oldest first: about one level's textures.
  static constexpr std::size_t kMaxKeptBytes = std::size_t{256} << 20U;

  /// A buffer of at least `size_bytes`, and of less than twice that when it comes from the pool.
  /// Throws std::bad_alloc.
  PooledMemory take(std::size_t size_bytes);
  void give_back(PooledMemory memory) noexcept;

  std::size_t kept_bytes() const;
  /// Gives buffers back to the system, the oldest first, until at most so many bytes are kept.
  void shrink_to(std::size_t bytes) noexcept;

 private:
  void drop_beyond(std::size_t bytes) noexcept;

  mutable std::mutex mutex_;
  std::vector<PooledMemory> kept_;  ///< The one given back last is at the end.
  std::size_t kept_bytes_ = 0;
};

}  // namespace muster
