// Who does the work of loading: another thread, or whoever steps it.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "runtime/assets/opened_bundle.h"
#include "runtime/assets/shared_blocks.h"

namespace muster {

/// A bundle to load, and what it may take in memory.
struct LoadOrder {
  std::uint32_t bundle = 0;
  std::uint64_t memory_max_bytes = std::numeric_limits<std::uint64_t>::max();
};

/// A bundle that was loaded with all its entries, or the reason why not.
struct FinishedLoad {
  std::uint32_t bundle = 0;
  Result<OpenedBundle> result;
  /// What it takes, decompressed; 0 when it did not come so far. More than the order's limit is
  /// refused with `limit_exceeded` before any of it is decompressed.
  std::uint64_t whole_bytes = 0;
};

/// Opens, verifies and decompresses a bundle with all its entries, in buffers of `memory`, which
/// may be null, and with whoever `shared` brings, if anybody. Safe from several threads at once,
/// each with a decompressor of its own. Fails as `open_verified` and `read_entry` do, and with
/// `limit_exceeded` when memory or limit do not suffice.
FinishedLoad load_whole(const BundleSource& source, const CatalogReader& catalog,
                        const LoadOrder& order, Decompressor& decompressor, MemoryPool* memory,
                        SharedBlocks* shared = nullptr);
/// The same for a file that the source has opened, or has failed to.
FinishedLoad load_opened(const BundleSource& source, const CatalogReader& catalog,
                         const LoadOrder& order, Result<std::unique_ptr<HeldFile>> file,
                         Decompressor& decompressor, MemoryPool* memory,
                         SharedBlocks* shared = nullptr);

/// Makes a decompressor that has a build's dictionaries: those given, or else its own. One that
/// cannot have them has none, and every entry that needs one fails and says so.
Decompressor make_decompressor(const BundleSource& source, const CatalogReader& catalog,
                               std::shared_ptr<const DictionarySet> dictionaries);

/// Loads bundles in the order in which they are started, or side by side. Implementations:
/// `ThreadedLoads`, `SteppedLoads`. Used by one thread.
class LoadExecutor {
 public:
  virtual ~LoadExecutor() = default;
  /// Starts loading bundles, in their order; none of them when it throws std::bad_alloc. Requires:
  /// none of them is under way.
  virtual void start(std::span<const LoadOrder> orders) = 0;
  /// Drops a load that has not begun; it will not be collected. Returns false when it has begun, or
  /// is not there.
  virtual bool cancel(std::uint32_t bundle) = 0;
  /// Appends what has finished since the last call; nothing of it, and keeps it, when it throws
  /// std::bad_alloc. Never waits.
  virtual void collect(std::vector<FinishedLoad>& out) = 0;
  /// How many loads may usefully be under way at once.
  virtual std::uint32_t parallel_loads() const = 0;
  /// Waits until something has finished, if anything is under way.
  virtual void wait() = 0;
};

/// Loads on threads of its own. From a source that gains from it (`files_at_once`) one thread at a
/// time opens several files together, while the others decompress what has been opened. Threads
/// that find nothing to begin decompress blocks of large entries that others load. Source and
/// catalog must outlive it; the catalog's bytes too. Large buffers come from `memory`, which is
/// best the store's: `BundleStore::memory`; so are `dictionaries`, else it loads its own.
///
/// The threads exist only in the process that made it. In a child of `fork` everything that was or
/// is started fails with `unsupported`, no function of this class waits, and the destructor leaks
/// what the threads used. The pool is different: a thread may have held its lock when the process
/// was forked, and then the store and its loaders wait for it for ever, also in their destructors.
/// So leave those alone in the child, and make a store, a loader and an executor of its own there.
class ThreadedLoads final : public LoadExecutor {
 public:
  /// Files that are opened together have no more bytes than this, but for the first: what becomes
  /// urgent meanwhile waits for them.
  static constexpr std::uint64_t kMaxTogetherBytes = std::uint64_t{2} << 20U;

  /// A thread takes several small bundles at a time, with no more bytes of files than this: to hand
  /// each over alone takes as long as loading it.
  static constexpr std::uint64_t kMaxSmallBytes = std::uint64_t{32} << 10U;
  static constexpr std::size_t kMaxSmallLoads = 8;

  /// Throws std::system_error when the system has no more threads, and std::bad_alloc. Requires:
  /// `threads >= 1`.
  ThreadedLoads(const BundleSource& source, const CatalogReader& catalog, std::uint32_t threads,
                std::shared_ptr<MemoryPool> memory = nullptr,
                std::shared_ptr<const DictionarySet> dictionaries = nullptr);
  /// Lets what is being loaded finish; drops the rest.
  ~ThreadedLoads() override;

  void start(std::span<const LoadOrder> orders) override;
  bool cancel(std::uint32_t bundle) override;
  void collect(std::vector<FinishedLoad>& out) override;
  /// So many that no thread waits for the next frame, even if they are small.
  std::uint32_t parallel_loads() const override;
  void wait() override;

 private:
  class Crew;
  bool is_of_this_process() const;

  std::vector<bool> is_under_way_;  ///< By bundle: started, and neither cancelled nor collected.
  const std::uint32_t thread_count_;
  const std::int64_t process_;
  std::unique_ptr<Crew> crew_;
};

/// Loads when it is told to, one at a time, in any order that a test wants: the deterministic twin.
/// Without steps, `wait` and `collect` do everything in the order of the starts.
class SteppedLoads final : public LoadExecutor {
 public:
  /// `is_manual`: nothing is loaded but by `step`; else `collect` loads all that was started.
  SteppedLoads(const BundleSource& source, const CatalogReader& catalog, bool is_manual = false,
               std::shared_ptr<MemoryPool> memory = nullptr,
               std::shared_ptr<const DictionarySet> dictionaries = nullptr);

  void start(std::span<const LoadOrder> orders) override {
    started_.insert(started_.end(), orders.begin(), orders.end());
  }
  bool cancel(std::uint32_t bundle) override;
  void collect(std::vector<FinishedLoad>& out) override;
  std::uint32_t parallel_loads() const override { return 4; }
  void wait() override;

  /// As the argument of the constructor, from now on.
  void set_manual(bool is_manual) { is_manual_ = is_manual; }
  std::size_t started_count() const { return started_.size(); }
  /// The bundle in a place of the queue. Requires: `index < started_count()`.
  std::uint32_t started(std::size_t index) const { return started_[index].bundle; }
  /// Memory of what was loaded and not collected yet.
  std::uint64_t finished_bytes() const;
  /// Loads the started bundle of this place in the queue. Requires: `index < started_count()`.
  void step(std::size_t index = 0);

 private:
  const BundleSource& source_;
  const CatalogReader catalog_;
  const std::shared_ptr<MemoryPool> memory_;
  bool is_manual_;
  std::deque<LoadOrder> started_;
  std::vector<FinishedLoad> finished_;
  Decompressor decompressor_;
};

}  // namespace muster
