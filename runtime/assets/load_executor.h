// Who does the work of loading: another thread, or whoever steps it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/assets/opened_bundle.h"

namespace muster {

/// A bundle that was loaded with all its entries, or the reason why not.
struct FinishedLoad {
  std::uint32_t bundle = 0;
  Result<OpenedBundle> result;
};

/// Opens, verifies and decompresses a bundle with all its entries. Safe from several threads at
/// once, each with a decompressor of its own. Fails as `open_verified` and `read_entry` do, and
/// with `limit_exceeded` when the memory does not suffice.
Result<OpenedBundle> load_whole(const BundleSource& source, const CatalogReader& catalog,
                                std::uint32_t bundle, Decompressor& decompressor);

/// Loads bundles in the order in which they are started, or side by side. Implementations:
/// `ThreadedLoads`, `SteppedLoads`. Used by one thread.
class LoadExecutor {
 public:
  virtual ~LoadExecutor() = default;
  /// Starts loading a bundle. Requires: it is not under way.
  virtual void start(std::uint32_t bundle) = 0;
  /// Appends what has finished since the last call. Never waits.
  virtual void collect(std::vector<FinishedLoad>& out) = 0;
  /// How many loads may usefully be under way at once.
  virtual std::uint32_t parallel_loads() const = 0;
  /// Waits until something has finished, if anything is under way.
  virtual void wait() = 0;
};

/// Loads on threads of its own. Source and catalog must outlive it; the catalog's bytes too.
class ThreadedLoads final : public LoadExecutor {
 public:
  /// Throws std::system_error when the system has no more threads, and std::bad_alloc. Requires:
  /// `threads >= 1`.
  ThreadedLoads(const BundleSource& source, const CatalogReader& catalog, std::uint32_t threads);
  /// Lets what is being loaded finish; drops the rest.
  ~ThreadedLoads() override;

  void start(std::uint32_t bundle) override;
  void collect(std::vector<FinishedLoad>& out) override;
  /// Twice the threads, so that none waits for the next frame.
  std::uint32_t parallel_loads() const override;
  void wait() override;

 private:
  void work(Decompressor& decompressor);
  void stop();

  const BundleSource& source_;
  const CatalogReader catalog_;
  std::mutex mutex_;
  std::condition_variable started_signal_;
  std::condition_variable finished_signal_;
  std::deque<std::uint32_t> started_;
  std::vector<FinishedLoad> finished_;
  std::uint32_t under_way_ = 0;
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

/// Loads when it is told to, one at a time, in any order that a test wants: the deterministic twin.
/// Without steps, `wait` and `collect` do everything in the order of the starts.
class SteppedLoads final : public LoadExecutor {
 public:
  /// `is_manual`: nothing is loaded but by `step`; else `collect` loads all that was started.
  SteppedLoads(const BundleSource& source, const CatalogReader& catalog, bool is_manual = false)
      : source_(source), catalog_(catalog), is_manual_(is_manual) {}

  void start(std::uint32_t bundle) override { started_.push_back(bundle); }
  void collect(std::vector<FinishedLoad>& out) override;
  std::uint32_t parallel_loads() const override { return 4; }
  void wait() override;

  std::size_t started_count() const { return started_.size(); }
  /// The bundle in a place of the queue. Requires: `index < started_count()`.
  std::uint32_t started(std::size_t index) const { return started_[index]; }
  /// Loads the started bundle of this place in the queue. Requires: `index < started_count()`.
  void step(std::size_t index = 0);

 private:
  const BundleSource& source_;
  const CatalogReader catalog_;
  bool is_manual_;
  std::deque<std::uint32_t> started_;
  std::vector<FinishedLoad> finished_;
  Decompressor decompressor_;
};

}  // namespace muster
