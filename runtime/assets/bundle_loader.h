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
#include "runtime/assets/bundle_store.h"
#include "runtime/assets/load_executor.h"

namespace muster {

/// The priority of a load.
enum class LoadPriority : std::uint8_t {
  hint,     ///< May be needed later.
  level,    ///< Needed before the next level starts.
  visible,  ///< Would be visible if it were loaded.
  needed,   ///< The game waits for it.
};
inline constexpr std::size_t kLoadPriorities = 4;

struct LoadRequest {
  LoadPriority priority = LoadPriority::visible;
  /// The time after which the load is useless. If it has not begun by then, it fails with
  /// `timed_out`, unless another request of the bundle has a later deadline or none.
  std::optional<Time> deadline{};
};

enum class LoadState : std::uint8_t { loading, ready, failed };

class BundleLoader;

/// Keeps a bundle and its dependencies loaded, or loading, for as long as it lives. Move-only; the
/// loader must outlive it. An empty handle keeps nothing and is `failed`.
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
  /// Why it failed; the message contains the bundle. Requires: `state()` is failed, not empty.
  const Error& error() const;
  /// Releases what it keeps. A bundle without another handle is no longer loaded.
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
  /// The limit for the files and decompressed entries of all open and loading bundles, and for
  /// buffers kept for reuse. To stay below it, these buffers are freed first. Then bundles without
  /// handles are closed, the least recently used first. If that is not enough, a load fails and
  /// nothing is closed. Bundles that the game opens directly through the store also count. The
  /// loader does not close them before they are requested from it, because only the caller knows
  /// how long they are in use. After such a request, the loader also reserves memory for their
  /// unread part.
  std::uint64_t memory_budget_bytes = std::uint64_t{1} << 30U;
  /// Maximum bytes of bundle files whose loading starts in one `update`; one bundle may always
  /// start.
  std::uint64_t start_budget_bytes = std::uint64_t{8} << 20U;
};

struct LoaderCounters {
  std::uint64_t requested = 0;  ///< Requested bundles, including dependencies, that were not
                                ///< loaded.
  std::uint64_t loaded = 0;
  std::uint64_t failed = 0;
  std::uint64_t timed_out = 0;  ///< The failed ones that timed out.
  std::uint64_t cancelled = 0;  ///< No longer wanted before they began.
  std::uint64_t unwanted = 0;   ///< Loaded, but no longer wanted by then.
  std::uint64_t evicted = 0;
  std::uint64_t eviction_steps = 0;  ///< Bundles that were checked to find evictable ones.
  /// Bundles that were checked because they were opened directly and not completely read.
  std::uint64_t unread_steps = 0;
};

/// Loads bundles of a store in the background and counts their users. A bundle with several users
/// is loaded once. Never waits, except in `finish` and `wait`.
///
/// Store and executor must outlive it, and it must outlive its handles. One thread at a time; the
/// executor has its own threads.
///
///     BundleLoader loader(store, executor, {});
///     BundleHandle hero = loader.request(bundle, {.priority = LoadPriority::visible});
///     loader.update(now);                        // once a frame
///     if (hero.state() == LoadState::ready) ...  // `store.load_from(bundle, ...)` is instant
class BundleLoader {
 public:
  BundleLoader(BundleStore& store, LoadExecutor& executor, const LoaderOptions& options);
  /// Drops loads that have not begun, and waits for the others. Requires: no handles are left.
  ~BundleLoader();
  BundleLoader(const BundleLoader&) = delete;
  BundleLoader& operator=(const BundleLoader&) = delete;

  /// Requests a bundle and all its dependencies. A failed bundle is tried again. Requires: an index
  /// of the store's catalog.
  BundleHandle request(std::uint32_t bundle, const LoadRequest& request = {});
  /// The same for the bundle that holds an asset. Fails with the error of `why_not_packed`.
  Result<BundleHandle> request_asset(const Guid& asset, const LoadRequest& request = {});
  /// Requests every bundle of a registry's entries, in order.
  std::vector<BundleHandle> request_registry(std::uint32_t registry, const LoadRequest& request);

  /// Closes a bundle, and loads it again if it has handles. Use it after the bundle's file was
  /// replaced, or when the store reports lost bytes. Everything loaded from it becomes invalid;
  /// handles are `loading` until it is loaded. A failed bundle is tried again; one that is loading
  /// continues. Do not close bundles of this store in any other way.
  void reload(std::uint32_t bundle);

  /// Adds loaded bundles to the store, drops requests whose deadline has passed, and starts the
  /// next loads: by priority, then by deadline, then in the order of the requests. A started load
  /// that has not begun is withdrawn if a more urgent one waits. Throws std::bad_alloc if the
  /// executor has no memory for a start. The start is retried in the next update, and nothing is
  /// lost.
  void update(Time now);
  /// Updates, and waits until a handle is ready or failed. For loading screens.
  LoadState finish(const BundleHandle& handle, Time now);
  /// Waits until one of the running loads has finished, if there is one, and updates. For a caller
  /// that waits for several handles.
  void wait(Time now);

  /// The memory that counts against the budget now.
  std::uint64_t memory_bytes() const {
    return store_.memory_bytes() + reserved_bytes() + store_.memory()->kept_bytes();
  }
  std::uint32_t under_way() const { return static_cast<std::uint32_t>(started_.size()); }
  const LoaderCounters& counters() const { return counters_; }
  BundleStore& store() { return store_; }

 private:
  friend class BundleHandle;
  static constexpr std::uint32_t kNoBundle = ~std::uint32_t{0};
  enum class NodeState : std::uint8_t { absent, queued, loading, present, failed };
  struct Node {
    NodeState state = NodeState::absent;
    std::uint32_t request_count = 0;  ///< Handles of the bundle, and of bundles that depend on it.
    std::array<std::uint32_t, kLoadPriorities> requests{};  ///< These handles, by priority.
    std::uint32_t requests_without_deadline = 0;            ///< The handles without a deadline.
    Time last_deadline;                ///< The latest deadline of these handles.
    std::uint64_t order = 0;           ///< The order of its request.
    std::uint64_t ticket = 0;          ///< Queue entries with another ticket are stale.
    std::uint64_t reserved_bytes = 0;  ///< While it is loading.
    std::uint64_t whole_bytes = 0;     ///< Its total memory, once known.
    std::uint32_t started_at = 0;      ///< Index in `started_`.
    bool is_unread = false;            ///< It is in `unread_`.
    /// It is in the list of bundles that may be evicted, with these neighbours.
    bool is_evictable = false;
    std::uint32_t used_before = kNoBundle;
    std::uint32_t used_after = kNoBundle;
    Error error;

    LoadPriority priority() const;
    /// `Time::max()` if a request has no deadline.
    Time deadline() const { return requests_without_deadline > 0 ? Time::max() : last_deadline; }
  };
  struct Waiting {
    LoadPriority priority = LoadPriority::hint;
    Time deadline;
    std::uint64_t order = 0;
    std::uint64_t ticket = 0;
    std::uint32_t bundle = 0;
  };
  /// A deadline of a queued bundle.
  struct Due {
    Time deadline;
    std::uint64_t ticket = 0;
    std::uint32_t bundle = 0;
  };
  static bool is_after(const Waiting& a, const Waiting& b);
  static bool is_later(const Due& a, const Due& b) { return a.deadline > b.deadline; }
  /// True when an entry of one of the two heaps is stale.
  template <typename Entry>
  bool is_old(const Entry& entry) const;
  /// The maximum size of either heap: above it, more than half is stale.
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
  std::vector<Node> nodes_;             ///< By index of the bundle.
  std::vector<Waiting> queue_;          ///< A heap, the next one first; may contain stale entries.
  std::vector<Due> due_;                ///< A heap of the deadlines of queued bundles.
  std::vector<std::uint32_t> started_;  ///< The executor's bundles, unordered.
  std::vector<std::uint32_t> visited_;  ///< A copy for iteration while they change.
  std::vector<std::uint32_t> unread_;   ///< Those that reserve room, until the next update checks
                                        ///< them.
  std::vector<LoadOrder> orders_;       ///< The orders of the last start, until the executor
                                        ///< accepts them.
  std::vector<FinishedLoad> finished_;
  /// At most the earliest deadline of the started loads that have not begun.
  Time started_deadline_ = Time::max();
  bool is_recall_due_ = false;  ///< A request may be more urgent than the started ones.
  std::uint64_t last_order_ = 0;
  std::uint64_t last_ticket_ = 0;
  std::uint64_t reserved_bytes_ = 0;  ///< For the loading bundles.
  /// The ends of the list of bundles that are loaded and unused, in the order in which they became
  /// so. Making room takes time only per evicted bundle.
  std::uint32_t used_first_ = kNoBundle;
  std::uint32_t used_last_ = kNoBundle;
  std::uint32_t handles_ = 0;
  LoaderCounters counters_;
};

}  // namespace muster
