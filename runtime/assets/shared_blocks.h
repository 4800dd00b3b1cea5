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

/// The blocks of large entries that are being loaded. Threads without work of their own help with
/// them, each with its own decompressor; the thread that loads an entry works as well, hashes where
/// that is wanted, and waits only for blocks that others have taken. Belongs to an executor, under
/// whose mutex it is. Allocates nothing once it is there.
class SharedBlocks {
 public:
  using Lock = std::unique_lock<std::mutex>;

  /// Entries with fewer bytes are left to one thread. Two nearly halve what one of 2 MiB takes, and
  /// gain nothing at 512 KiB; but where the target is still in the cache of another core its lines
  /// have to come over, which takes more than what is gained below this.
  static constexpr std::uint64_t kMinSharedBytes = std::uint64_t{2} << 20U;
  /// So many may help with one entry: where it is hashed, one thread does all of that, which takes
  /// a tenth of the time of decompression.
  static constexpr std::size_t kMaxHelpers = 7;

  /// Both belong to who owns this. `work_signal` is what threads wait for that may help.
  /// Throws std::bad_alloc. Requires: `threads` is the number of those that load, at most.
  SharedBlocks(std::mutex& mutex, std::condition_variable& work_signal, std::size_t threads);

  static bool is_worth_it(const BundleEntry& entry) {
    return entry.block_count > 1 && entry.plain_bytes >= kMinSharedBytes;
  }

  /// Decompresses the entry's blocks with whoever helps, adds them to the hasher, if there is one,
  /// in their order, and returns how many those are: all, or those before one that somebody could
  /// not read. With that one the caller goes on alone: it may be damaged, or another thread may
  /// have lacked the memory to say so. Nobody looks at entry or target any more when it returns.
  /// Requires: the mutex is not held; `target` has room for the entry.
  std::uint32_t read(const BundleReader& reader, const BundleEntry& entry,
                     std::span<std::byte> target, Decompressor& decompressor,
                     ContentHasher* hasher) noexcept;

  /// Whether there is something to help with. Requires: the mutex is held.
  bool has_block() const;
  /// Decompresses one block, of the entry that was begun first. Lets go of the mutex meanwhile.
  /// Requires: `has_block()`, the mutex is held by `lock`.
  void help(Lock& lock, Decompressor& decompressor) noexcept;

 private:
  /// Blocks are taken in their order, so what is done is known from what is not: no state per
  /// block.
  struct Job {
    const BundleReader& reader;
    const BundleEntry& entry;
    std::span<std::byte> target;
    std::uint32_t next = 0;  ///< Nobody has taken it yet.
    std::uint32_t end = 0;   ///< Of what is to be read: the first that somebody could not.
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
  std::vector<Job*> jobs_;  ///< On the stacks of the threads that load: at most one of each.
};

}  // namespace muster
