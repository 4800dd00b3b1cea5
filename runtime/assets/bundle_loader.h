// Loads bundles while the game runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "registry/base/clock.h"
#include "registry/base/result.h"
#include "registry/base/type_id.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/assets/load_executor.h"

namespace muster {

/// The priority of a load.
enum class LoadPriority : std::uint8_t {
  hint,     ///< The bundle may be needed later.
  level,    ///< The bundle is needed before the next level starts.
  visible,  ///< The asset would be visible if the bundle were loaded.
  needed,   ///< The game waits for the bundle.
};
inline constexpr std::size_t kLoadPriorities = 4;

struct LoadRequest {
  LoadPriority priority = LoadPriority::visible;
  /// The time after which the load is no longer useful. A load that has not begun at this time
  /// fails with `timed_out`, unless another request for the bundle has a later deadline or no
  /// deadline.
  std::optional<Time> deadline{};
};

enum class LoadState : std::uint8_t { loading, ready, failed };

class BundleLoader;

/// Keeps a bundle and its dependencies loaded, or loading, while the handle exists. Move-only. The
/// loader must outlive the handle. The state of an empty handle is `failed`.
class BundleHandle {
 public:
  BundleHandle() = default;
  BundleHandle(BundleHandle&& other) noexcept
      : loader_(std::exchange(other.loader_, nullptr)),
        bundle_(other.bundle_),
        priority_(other.priority_),
        has_deadline_(other.has_deadline_) {}
  BundleHandle& operator=(BundleHandle&& other) noexcept {
    release();
    loader_ = std::exchange(other.loader_, nullptr);
    bundle_ = other.bundle_;
    priority_ = other.priority_;
    has_deadline_ = other.has_deadline_;
    return *this;
  }
  ~BundleHandle() { release(); }

  bool is_empty() const { return loader_ == nullptr; }
  std::uint32_t bundle() const { return bundle_; }
  LoadState state() const;
  /// The reason why loading failed. The message names the bundle. Requires: the handle is not empty
  /// and `state()` is `failed`.
  const Error& error() const;
  /// Empties the handle. If this was the bundle's last handle, the loader may close the bundle.
  void release();

 private:
  friend class BundleLoader;
  BundleHandle(BundleLoader& loader, std::uint32_t bundle, const LoadRequest& request)
      : loader_(&loader),
        bundle_(bundle),
        priority_(request.priority),
        has_deadline_(request.deadline.has_value()) {}

  BundleLoader* loader_ = nullptr;
  std::uint32_t bundle_ = 0;
  LoadPriority priority_ = LoadPriority::hint;
  bool has_deadline_ = false;
};

struct LoaderOptions {
  /// The memory limit in bytes. The limit covers the files and the decompressed entries of all open
  /// and loading bundles, and the buffers that are kept for reuse. When a load needs memory, the
  /// loader first frees these buffers. If that is not enough, the loader closes bundles without
  /// handles, beginning with the least recently used bundle. If closing all bundles without handles
  /// would not be enough, the load fails and no bundle is closed. Bundles that the game opens
  /// directly through the store also count. The loader closes such a bundle only after the bundle
  /// was requested from the loader. Before such a request, only the game knows how long the bundle
  /// is used. After that request, the loader also reserves memory for the unread part of the
  /// bundle.
  std::uint64_t memory_budget_bytes = std::uint64_t{1} << 30U;
  /// The maximum total size of the bundle files whose loading starts in one `update`, in bytes. One
  /// bundle may always start.
  std::uint64_t start_budget_bytes = std::uint64_t{8} << 20U;
};

struct LoaderCounters {
  std::uint64_t requested = 0;  ///< Requests of bundles and dependencies that were not loaded.
  std::uint64_t loaded = 0;
  std::uint64_t failed = 0;
  std::uint64_t timed_out = 0;  ///< The failed loads that timed out.
  std::uint64_t cancelled = 0;  ///< Loads that lost their last request before they began.
  std::uint64_t unwanted = 0;   ///< Loads that lost their last request before they finished.
  std::uint64_t evicted = 0;
  std::uint64_t eviction_steps = 0;  ///< Bundles that were checked to find evictable bundles.
  /// Bundles that were checked because they were opened directly and not completely read.
  std::uint64_t unread_steps = 0;
};

/// Loads bundles of a store in the background and counts their users. A bundle with several users
/// is loaded once. Never waits, except in `finish` and `wait`.
///
/// The store and the executor must outlive the loader, and the loader must outlive its handles.
/// Only one thread at a time may use the loader; the executor has its own threads.
///
///     BundleLoader loader(store, executor, {});
///     BundleHandle hero = loader.request(bundle, {.priority = LoadPriority::visible});
///     loader.update(now);                        // once a frame
///     if (hero.state() == LoadState::ready) ...  // `store.load_from(bundle, ...)` is instant
class BundleLoader {
 public:
  BundleLoader(BundleStore& store, LoadExecutor& executor, const LoaderOptions& options);
  /// Drops loads that have not begun, and waits for the running loads. Requires: no handles are
  /// left.
  ~BundleLoader();
  BundleLoader(const BundleLoader&) = delete;
  BundleLoader& operator=(const BundleLoader&) = delete;

  /// Requests a bundle and all its dependencies. A failed bundle is loaded again. Requires:
  /// `bundle` is an index in the store's catalog.
  BundleHandle request(std::uint32_t bundle, const LoadRequest& request = {});
  /// Requests the bundle that contains an asset. If no bundle contains the asset, fails with the
  /// error of `why_not_packed`.
  Result<BundleHandle> request_asset(const Guid& asset, const LoadRequest& request = {});
  /// Requests every bundle of a registry's entries, in order.
  std::vector<BundleHandle> request_registry(RegistryIndex registry, const LoadRequest& request);

  /// Closes a bundle, and loads it again if it has handles. Call this function after the bundle's
  /// file was replaced, or when the store reports lost bytes. All bytes that were loaded from the
  /// bundle become invalid. The handles of the bundle are `loading` until the bundle is loaded. A
  /// failed bundle is loaded again; a bundle that is loading continues. Do not close bundles of
  /// this store in any other way.
  void reload(std::uint32_t bundle);

  /// Adds loaded bundles to the store, drops requests whose deadline has passed, and starts the
  /// next loads: by priority, then by deadline, then in the order of the requests. If a more urgent
  /// load waits, the loader withdraws a load that the executor has not begun. Throws std::bad_alloc
  /// if the executor has no memory for a start. The next update then starts the load again.
  void update(Time now);
  /// Updates, and waits until a handle is `ready` or `failed`. Use this function for loading
  /// screens.
  LoadState finish(const BundleHandle& handle, Time now);
  /// Waits until one running load has finished, if any load is running, and then updates. Use this
  /// function to wait for several handles.
  void wait(Time now);

  /// The memory that counts against the budget now.
  std::uint64_t memory_bytes() const {
    return store_.memory_bytes() + reserved_bytes() + store_.memory()->kept_bytes();
  }
  std::uint32_t running_loads() const { return static_cast<std::uint32_t>(started_.size()); }
  const LoaderCounters& counters() const { return counters_; }
  BundleStore& store() { return store_; }

 private:
  friend class BundleHandle;
  static constexpr std::uint32_t kNoBundle = ~std::uint32_t{0};
  enum class NodeState : std::uint8_t { absent, queued, loading, present, failed };
  struct Node {
    NodeState state = NodeState::absent;
    /// The handles of the bundle, and of bundles that depend on it.
    std::uint32_t request_count = 0;
    /// The number of these handles, by priority.
    std::array<std::uint32_t, kLoadPriorities> requests{};
    std::uint32_t requests_without_deadline = 0;  ///< The handles without a deadline.
    Time last_deadline;                           ///< The latest deadline of these handles.
    std::uint64_t order = 0;           ///< The position of the request among all requests.
    std::uint64_t ticket = 0;          ///< Queue entries with another ticket are stale.
    std::uint64_t reserved_bytes = 0;  ///< The memory reserved while the bundle is loading.
    std::uint64_t whole_bytes = 0;     ///< The total memory of the bundle; 0 until it is known.
    std::uint32_t started_at = 0;      ///< The index in `started_`.
    bool is_unread = false;
    /// True while the bundle is in the list of evictable bundles, between these two neighbours.
    bool is_evictable = false;
    std::uint32_t used_before = kNoBundle;
    std::uint32_t used_after = kNoBundle;
    Error error;

    LoadPriority priority() const;
    /// Returns `Time::max()` if a request has no deadline.
    Time deadline() const { return requests_without_deadline > 0 ? Time::max() : last_deadline; }
  };
  struct Waiting {
    LoadPriority priority = LoadPriority::hint;
    Time deadline;
    std::uint64_t order = 0;
    std::uint64_t ticket = 0;
    std::uint32_t bundle = 0;
  };
  /// The deadline of a queued bundle.
  struct Due {
    Time deadline;
    std::uint64_t ticket = 0;
    std::uint32_t bundle = 0;
  };
  static bool is_after(const Waiting& a, const Waiting& b);
  static bool is_later(const Due& a, const Due& b) { return a.deadline > b.deadline; }
  /// Whether an entry of one of the two heaps is stale.
  template <typename Entry>
  bool is_old(const Entry& entry) const;
  /// The maximum size of each heap. In a larger heap, more than half of the entries are stale.
  std::size_t queue_room() const { return 2 * nodes_.size() + 16; }

  template <typename Visit>
  void each_needed(std::uint32_t bundle, Visit visit) const;
  void add_request(std::uint32_t bundle, const LoadRequest& request);
  void queue(std::uint32_t bundle);
  void push(std::uint32_t bundle);
  void release(const BundleHandle& handle);
  void unwant(std::uint32_t bundle, const BundleHandle& handle);
  LoadState state(std::uint32_t bundle) const;
  const Error& error(std::uint32_t bundle) const;
  void apply_finished();
  void apply_load(FinishedLoad& finished);
  template <typename Reason>
  void fail_node(Node& node, Reason reason);
  void drop_late(Time now);
  void drop_late_started(Time now);
  void note_started_deadline(const Node& node);
  void fail_late(std::uint32_t bundle);
  void drop_old_front();
  void recall_less_urgent();
  bool cancel_load(std::uint32_t bundle);
  void forget_started(std::uint32_t bundle);
  void start_next();
  void choose_next();
  bool start(const Waiting& next);
  bool make_room(std::uint64_t bytes);
  void update_evictable(std::uint32_t bundle);
  void link_evictable(std::uint32_t bundle);
  void unlink_evictable(std::uint32_t bundle);
  void evict(std::uint32_t bundle);
  std::uint64_t reserved_bytes() const;
  void keep_room(std::uint32_t bundle);
  void update_expected(std::uint32_t bundle);
  void drop_read();
  std::uint64_t free_bytes() const;
  Error without_room(std::uint32_t bundle, std::uint64_t bytes) const;

  BundleStore& store_;
  LoadExecutor& executor_;
  LoaderOptions options_;
  std::vector<Node> nodes_;  ///< The nodes, by index of the bundle.
  /// A heap with the next bundle first. It may contain stale entries.
  std::vector<Waiting> queue_;
  std::vector<Due> due_;                ///< A heap of the deadlines of queued bundles.
  std::vector<std::uint32_t> started_;  ///< The bundles that the executor has, unordered.
  std::vector<std::uint32_t> visited_;  ///< A copy of a list that may change during iteration.
  /// The bundles that reserve memory. The next update checks these bundles again.
  std::vector<std::uint32_t> unread_;
  /// The orders of the current start, until the executor accepts them.
  std::vector<LoadOrder> orders_;
  std::vector<FinishedLoad> finished_;
  /// All loads that wait in the executor have this deadline, a later deadline or no deadline.
  Time started_deadline_ = Time::max();
  bool is_recall_due_ = false;  ///< A waiting request may be more urgent than a started load.
  std::uint64_t last_order_ = 0;
  std::uint64_t last_ticket_ = 0;
  std::uint64_t reserved_bytes_ = 0;
  /// The ends of the list of loaded bundles without handles, in the order in which they lost their
  /// last handle. With this list, eviction takes time only per evicted bundle.
  std::uint32_t used_first_ = kNoBundle;
  std::uint32_t used_last_ = kNoBundle;
  std::uint32_t handles_ = 0;
  LoaderCounters counters_;
};

}  // namespace muster
