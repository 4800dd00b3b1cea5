// Runs loads: on threads, or step by step.
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

/// A bundle to load, and the limit of its memory.
struct LoadOrder {
  std::uint32_t bundle = 0;
  std::uint64_t memory_max_bytes = std::numeric_limits<std::uint64_t>::max();
};

/// The result of a load: a bundle with all its entries read, or an error.
struct FinishedLoad {
  std::uint32_t bundle = 0;
  Result<OpenedBundle> result;
  /// The memory that the bundle uses when all its entries are read; 0 if loading failed before this
  /// size was known. If the value is above the limit of the order, loading fails with
  /// `limit_exceeded` before decompression.
  std::uint64_t whole_bytes = 0;
};

/// Opens and verifies a bundle and decompresses all its entries. The buffers come from `memory`,
/// which may be null. If `shared` is not null, other threads can help to decompress. Several
/// threads may call this function, each with its own decompressor. Fails if the bundle cannot be
/// opened or an entry cannot be read, with the code of `open_verified` or `read_entry`. Fails with
/// `limit_exceeded` if there is not enough memory or the order's limit is too low.
FinishedLoad load_whole(const BundleSource& source, const CatalogReader& catalog,
                        const LoadOrder& order, Decompressor& decompressor, MemoryPool* memory,
                        SharedBlocks* shared = nullptr);
/// Does the same as `load_whole`, for a file that the source has opened. If the file could not be
/// opened, the result has the error of this failure.
FinishedLoad load_opened(const BundleSource& source, const CatalogReader& catalog,
                         const LoadOrder& order, Result<std::unique_ptr<BundleFile>> file,
                         Decompressor& decompressor, MemoryPool* memory,
                         SharedBlocks* shared = nullptr);

/// Makes a decompressor with the dictionaries of a build. If `dictionaries` is null, the function
/// loads them. If loading fails, the decompressor has no dictionaries, and every entry that needs a
/// dictionary fails later.
Decompressor make_decompressor(const BundleSource& source, const CatalogReader& catalog,
                               std::shared_ptr<const DictionarySet> dictionaries);

/// Loads bundles in the order of their starts, or in parallel. Implementations: `ThreadedLoads`,
/// `SteppedLoads`. Only one thread at a time may call these functions.
class LoadExecutor {
 public:
  virtual ~LoadExecutor() = default;
  /// Starts to load bundles in the given order. May throw std::bad_alloc, and then starts no load.
  /// Requires: none of the bundles is already loading.
  virtual void start(std::span<const LoadOrder> orders) = 0;
  /// Drops a load that has not begun. `collect` then does not return this load. Returns false if
  /// the load has begun or does not exist.
  virtual bool cancel(std::uint32_t bundle) = 0;
  /// Appends the loads that finished since the last call. May throw std::bad_alloc, and then
  /// appends nothing and keeps the loads for the next call. Never waits.
  virtual void collect(std::vector<FinishedLoad>& out) = 0;
  /// The number of loads that should be started at the same time.
  virtual std::uint32_t parallel_loads() const = 0;
  /// If a load is running, waits until a load has finished.
  virtual void wait() = 0;
};

/// Loads bundles on its own threads. If the source reads several files faster together
/// (`files_at_once`), one thread opens several files while the other threads decompress. Idle
/// threads help with large entries and decompress some of their blocks. The source, the catalog and
/// the catalog's bytes must outlive the executor. Large buffers come from `memory`; pass the
/// store's pool (`BundleStore::memory`). Also pass the store's dictionaries. If `dictionaries` is
/// null, this class loads the dictionaries itself.
///
/// The threads exist only in the process that created them. In a child process made by `fork`,
/// every load fails with `unsupported`, no function of this class waits, and the destructor leaks
/// the data of the threads. The memory pool does not have this protection. If a thread held the
/// pool's lock during the fork, the store and its loaders wait forever in the child, even in their
/// destructors. So do not use the store and the loaders in the child. Create a new store, loader
/// and executor in the child.
class ThreadedLoads final : public LoadExecutor {
 public:
  /// The maximum total size of files that are opened together, in bytes. The first file may be
  /// larger. The limit exists because urgent loads wait for files that are being opened.
  static constexpr std::uint64_t kMaxTogetherBytes = std::uint64_t{2} << 20U;

  /// A thread loads up to `kMaxSmallLoads` small bundles together if their files have at most this
  /// total size, in bytes. Passing a single small bundle to a thread would take as long as loading
  /// it.
  static constexpr std::uint64_t kMaxSmallBytes = std::uint64_t{32} << 10U;
  static constexpr std::size_t kMaxSmallLoads = 8;

  /// Throws std::system_error if the system has no more threads, and std::bad_alloc if there is not
  /// enough memory. Requires: `threads >= 1`.
  ThreadedLoads(const BundleSource& source, const CatalogReader& catalog, std::uint32_t threads,
                std::shared_ptr<MemoryPool> memory = nullptr,
                std::shared_ptr<const DictionarySet> dictionaries = nullptr);
  /// Waits for the running loads and drops the loads that have not begun.
  ~ThreadedLoads() override;

  void start(std::span<const LoadOrder> orders) override;
  bool cancel(std::uint32_t bundle) override;
  void collect(std::vector<FinishedLoad>& out) override;
  /// A number of loads that keeps every thread busy until the next frame, even with small bundles.
  std::uint32_t parallel_loads() const override;
  void wait() override;

 private:
  class Crew;
  bool is_of_this_process() const;

  std::vector<bool> is_running_;  ///< For each bundle, whether its load was started and not yet
                                  ///< cancelled or collected.
  const std::uint32_t thread_count_;
  const std::int64_t process_;
  std::unique_ptr<Crew> crew_;
};

/// The deterministic executor, for tests. Loads one bundle at a time on the calling thread. In
/// manual mode, the caller chooses the order with `step`. Otherwise `wait` and `collect` load the
/// bundles in the order of the starts.
class SteppedLoads final : public LoadExecutor {
 public:
  /// If `is_manual` is true, only `step` loads. Otherwise `collect` loads everything that was
  /// started.
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

  /// Changes the mode. See `is_manual` of the constructor.
  void set_manual(bool is_manual) { is_manual_ = is_manual; }
  std::size_t started_count() const { return started_.size(); }
  /// The bundle at an index of the queue of started loads. Requires: `index < started_count()`.
  std::uint32_t started(std::size_t index) const { return started_[index].bundle; }
  /// The memory in bytes of loaded bundles that were not collected yet.
  std::uint64_t finished_bytes() const;
  /// Loads the bundle at this index of the queue. Requires: `index < started_count()`.
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
