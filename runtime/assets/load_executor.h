// Runs the work of loading: on threads, or step by step.
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

/// A bundle to load, and its memory limit.
struct LoadOrder {
  std::uint32_t bundle = 0;
  std::uint64_t memory_max_bytes = std::numeric_limits<std::uint64_t>::max();
};

/// A bundle that was loaded with all its entries, or the error.
struct FinishedLoad {
  std::uint32_t bundle = 0;
  Result<OpenedBundle> result;
  /// Its decompressed size; 0 if loading failed earlier. If it is above the order's limit, loading
  /// fails with `limit_exceeded` before decompression.
  std::uint64_t whole_bytes = 0;
};

/// Opens, verifies and decompresses a bundle with all its entries, in buffers of `memory`, which
/// may be null. `shared` may let other threads help. Several threads may call it, each with its own
/// decompressor. Fails like `open_verified` and `read_entry`, and with `limit_exceeded` if memory
/// or limit are not enough.
FinishedLoad load_whole(const BundleSource& source, const CatalogReader& catalog,
                        const LoadOrder& order, Decompressor& decompressor, MemoryPool* memory,
                        SharedBlocks* shared = nullptr);
/// The same for a file that the source has opened, or failed to open.
FinishedLoad load_opened(const BundleSource& source, const CatalogReader& catalog,
                         const LoadOrder& order, Result<std::unique_ptr<HeldFile>> file,
                         Decompressor& decompressor, MemoryPool* memory,
                         SharedBlocks* shared = nullptr);

/// Makes a decompressor with a build's dictionaries: the given ones, or else loaded ones. If they
/// cannot be loaded, it has none, and every entry that needs one reports the error.
Decompressor make_decompressor(const BundleSource& source, const CatalogReader& catalog,
                               std::shared_ptr<const DictionarySet> dictionaries);

/// Loads bundles in the order of their starts, or in parallel. Implementations: `ThreadedLoads`,
/// `SteppedLoads`. Used by one thread.
class LoadExecutor {
 public:
  virtual ~LoadExecutor() = default;
  /// Starts loading bundles, in order; starts none if it throws std::bad_alloc. Requires: none of
  /// them is already loading.
  virtual void start(std::span<const LoadOrder> orders) = 0;
  /// Drops a load that has not begun; it will not be collected. Returns false if it has begun or
  /// does not exist.
  virtual bool cancel(std::uint32_t bundle) = 0;
  /// Appends the loads that finished since the last call. If it throws std::bad_alloc, appends
  /// nothing and keeps them. Never waits.
  virtual void collect(std::vector<FinishedLoad>& out) = 0;
  /// The useful number of simultaneous loads.
  virtual std::uint32_t parallel_loads() const = 0;
  /// Waits until a load has finished, if any is running.
  virtual void wait() = 0;
};

/// Loads on its own threads. With a source that benefits from it (`files_at_once`) one thread at a
/// time opens several files together, while the others decompress. Idle threads decompress blocks
/// of large entries that others load. Source, catalog and the catalog's bytes must outlive it.
/// Large buffers come from `memory`; pass the store's pool (`BundleStore::memory`). Pass the
/// store's dictionaries too; if `dictionaries` is null, this class loads them itself.
///
/// The threads exist only in the process that created them. In a child of `fork` every load fails
/// with `unsupported`, no function of this class waits, and the destructor leaks the threads' data.
/// The pool does not have this protection. If a thread held the pool's lock at the time of the
/// fork, the store and its loaders wait forever in the child, even in their destructors. So do not
/// use them in the child; create a new store, loader and executor there.
class ThreadedLoads final : public LoadExecutor {
 public:
  /// The maximum size of files that are opened together. It does not apply to the first file.
  /// Urgent loads wait for files that are being opened, so the size is limited.
  static constexpr std::uint64_t kMaxTogetherBytes = std::uint64_t{2} << 20U;

  /// A thread begins up to `kMaxSmallLoads` small bundles together, whose files have at most this
  /// size in total. Otherwise, passing a small bundle to a thread would take as long as loading it.
  static constexpr std::uint64_t kMaxSmallBytes = std::uint64_t{32} << 10U;
  static constexpr std::size_t kMaxSmallLoads = 8;

  /// Throws std::system_error if the system has no more threads, and std::bad_alloc. Requires:
  /// `threads >= 1`.
  ThreadedLoads(const BundleSource& source, const CatalogReader& catalog, std::uint32_t threads,
                std::shared_ptr<MemoryPool> memory = nullptr,
                std::shared_ptr<const DictionarySet> dictionaries = nullptr);
  /// Finishes the running loads and drops the rest.
  ~ThreadedLoads() override;

  void start(std::span<const LoadOrder> orders) override;
  bool cancel(std::uint32_t bundle) override;
  void collect(std::vector<FinishedLoad>& out) override;
  /// Enough loads that no thread is idle until the next frame, even with small bundles.
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

/// Loads on request, one at a time, in any order: the deterministic version for tests. Without
/// steps, `wait` and `collect` load everything in the order of the starts.
class SteppedLoads final : public LoadExecutor {
 public:
  /// `is_manual`: only `step` loads; else `collect` loads everything that was started.
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
  /// The bundle at an index of the queue. Requires: `index < started_count()`.
  std::uint32_t started(std::size_t index) const { return started_[index].bundle; }
  /// The memory of loaded bundles that were not collected yet.
  std::uint64_t finished_bytes() const;
  /// Loads the started bundle at this index of the queue. Requires: `index < started_count()`.
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
