// One large entry, decompressed by several threads.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "registry/base/content_hash.h"
#include "runtime/bundle/bundle_reader.h"

namespace muster {

/// The blocks of large entries that are being loaded. Idle threads help with them, each with its
/// own decompressor. The thread that loads an entry also works, hashes if needed, and waits only
/// for blocks that others have begun. Belongs to an executor, whose mutex protects it. Allocates
/// nothing after construction.
class SharedBlocks {
 public:
  using Lock = std::unique_lock<std::mutex>;

  /// Smaller entries are left to one thread. Two threads nearly halve the time of 2 MiB, and gain
  /// nothing at 512 KiB. If the target is still in another core's cache, moving its lines costs
  /// more than the gain below this size.
  static constexpr std::uint64_t kMinSharedBytes = std::uint64_t{2} << 20U;
  /// The maximum number of helpers for one entry. More would not help an entry that is hashed: one
  /// thread does all the hashing, which takes a tenth of the decompression time.
  static constexpr std::size_t kMaxHelpers = 7;

  /// The owner provides both. Threads that may help wait for `work_signal`. Throws std::bad_alloc.
  /// Requires: `threads` is at least the number of loading threads.
  SharedBlocks(std::mutex& mutex, std::condition_variable& work_signal, std::size_t threads);

  static bool is_worth_it(const BundleEntry& entry) {
    return entry.block_count > 1 && entry.plain_bytes >= kMinSharedBytes;
  }

  /// Decompresses the entry's blocks with all helpers, and adds them in order to the hasher, if
  /// there is one. Returns the number of blocks that were read: all, or the blocks before one that
  /// a thread could not read. The caller continues alone with that block. It may be damaged, or
  /// another thread may have lacked memory. When it returns, no thread uses entry or target any
  /// more. Requires: the mutex is not held; `target` has room for the entry.
  std::uint32_t read(const BundleReader& reader, const BundleEntry& entry,
                     std::span<std::byte> target, Decompressor& decompressor,
                     ContentHasher* hasher) noexcept;

  /// True when there is a block to help with. Requires: the mutex is held.
  bool has_block() const;
  /// Decompresses one block of the entry that was begun first. Releases the mutex meanwhile.
  /// Requires: `has_block()`, the mutex is held by `lock`.
  void help(Lock& lock, Decompressor& decompressor) noexcept;

 private:
  /// Threads take blocks in order, so no state per block is needed: a block is done if it was taken
  /// and no thread is reading it.
  struct Job {
    const BundleReader& reader;
    const BundleEntry& entry;
    std::span<std::byte> target;
    std::uint32_t next = 0;  ///< The first block that was not taken.
    std::uint32_t end = 0;   ///< The end of the blocks to read: the first that a thread could not
                             ///< read.
    std::array<std::uint32_t, kMaxHelpers> helped{};  ///< Blocks that are being read.
    std::size_t helpers = 0;

    bool is_done(std::uint32_t block) const;
    bool wants_help() const { return next < end && helpers < kMaxHelpers; }
    std::span<std::byte> piece(std::uint32_t block) const;
  };
  static void read_block(Job& job, std::uint32_t block, Lock& lock,
                         Decompressor& decompressor) noexcept;

  std::mutex& mutex_;
  std::condition_variable& work_signal_;
  std::condition_variable block_signal_;
  std::vector<Job*> jobs_;  ///< On the stacks of the loading threads: at most one each.
};

}  // namespace muster
