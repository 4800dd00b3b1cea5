// Decompresses a large entry with several threads.
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

/// The blocks of large entries that are being loaded. Idle threads decompress some of the blocks,
/// each with its own decompressor. The thread that loads an entry also decompresses blocks, and
/// hashes the entry if needed. The loading thread waits only for blocks that other threads have
/// begun. An executor owns this object and protects it by a mutex. Allocates nothing after
/// construction.
class SharedBlocks {
 public:
  using Lock = std::unique_lock<std::mutex>;

  /// Entries below this size, in bytes, are decompressed by one thread. Two threads nearly halve
  /// the time of an entry of 2 MiB, and are no faster than one thread at 512 KiB. If the target
  /// memory is in the cache of another core, moving the memory between the cores takes more time
  /// than a second thread saves.
  static constexpr std::uint64_t kMinSharedBytes = std::uint64_t{2} << 20U;
  /// The maximum number of helpers for one entry. More helpers would not make a hashed entry
  /// faster, because one thread does all the hashing, which takes a tenth of the decompression
  /// time.
  static constexpr std::size_t kMaxHelpers = 7;

  /// The owner provides `mutex` and `work_signal`. Threads that can help wait for `work_signal`.
  /// May throw std::bad_alloc. Requires: `threads` is at least the number of loading threads.
  SharedBlocks(std::mutex& mutex, std::condition_variable& work_signal, std::size_t threads);

  static bool is_worth_it(const BundleEntry& entry) {
    return entry.block_count > 1 && entry.plain_bytes >= kMinSharedBytes;
  }

  /// Decompresses the blocks of an entry together with the helpers. If `hasher` is not null, adds
  /// the blocks to the hasher in order. Returns the number of blocks before the first block that a
  /// thread could not read, or the number of all blocks. The caller continues alone with the unread
  /// block, which may be damaged or may have failed because another thread had too little memory.
  /// After the call, no thread uses `entry` or `target`. Requires: the mutex is not held, and
  /// `target` has the size of the entry.
  std::uint32_t read(const BundleReader& reader, const BundleEntry& entry,
                     std::span<std::byte> target, Decompressor& decompressor,
                     ContentHasher* hasher) noexcept;

  /// True if there is a block that a helper can decompress. Requires: the mutex is held.
  bool has_block() const;
  /// Decompresses one block of the entry that was begun first. Releases the mutex during the
  /// decompression. Requires: `has_block()` is true, and `lock` holds the mutex.
  void help(Lock& lock, Decompressor& decompressor) noexcept;

 private:
  /// An entry that is being read. Threads begin blocks in order, so a job needs no state per block.
  /// A block is done if it was begun and no thread is reading it.
  struct Job {
    const BundleReader& reader;
    const BundleEntry& entry;
    std::span<std::byte> target;
    std::uint32_t next = 0;  ///< The first block that was not begun.
    std::uint32_t end = 0;   ///< The block count, or the first block that a thread could not read.
    std::array<std::uint32_t, kMaxHelpers> helped{};  ///< The blocks that helpers are reading.
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
  std::vector<Job*> jobs_;  ///< The jobs, which are on the stacks of the loading threads. Each
                            ///< thread has at most one job.
};

}  // namespace muster
