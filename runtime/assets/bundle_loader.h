// Loading while the game runs.
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

/// What is loaded first.
enum class LoadPriority : std::uint8_t {
  hint,     ///< May be wanted some time.
  level,    ///< Wanted before the next level starts.
  visible,  ///< Would show if it were there.
  needed,   ///< The game waits for it.
};
inline constexpr std::size_t kLoadPriorities = 4;

struct LoadRequest {
  LoadPriority priority = LoadPriority::visible;
  /// When it is of no use any more: if it has not begun once this is past, it fails with
  /// `timed_out`. What somebody else wants for longer, or for ever, goes on.
  std::optional<Time> deadline{};
};

enum class LoadState : std::uint8_t { loading, ready, failed };

class BundleLoader;

/// Keeps a bundle, and those it depends on, loaded or on the way for as long as it lives.
/// Move-only; the loader must outlive it. An empty one keeps nothing and is `failed`.
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
  /// Why it failed; the message names the bundle. Requires: `state()` is failed, not empty.
  const Error& error() const;
  /// Gives up what it keeps. What is not wanted by anybody else is not loaded any more.
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
  /// Files and decompressed entries of all open bundles and of those under way, and buffers that
  /// are kept for the next ones. Those go first to stay below it, then bundles that nobody keeps,
  /// the one used longest ago first; if that is not enough, a load fails and nothing is closed.
  /// What the game opens through the store once there is a loader counts, too, and stays until
  /// somebody asks the loader for it: only who opened it knows how long it is in use. From then on
  /// there is room for what has not been read of it.
  std::uint64_t memory_budget_bytes = std::uint64_t{1} << 30U;
  /// Bytes of bundle files whose loading starts in one `update`; one bundle always may.
  std::uint64_t start_budget_bytes = std::uint64_t{8} << 20U;
};

struct LoaderCounters {
  std::uint64_t requested = 0;  ///< Bundles asked for, dependencies included, when not there.
  std::uint64_t loaded = 0;
  std::uint64_t failed = 0;
  std::uint64_t timed_out = 0;  ///< Of those.
  std::uint64_t cancelled = 0;  ///< Nobody wanted it any more before it began.
  std::uint64_t unwanted = 0;   ///< Loaded, though nobody wanted it any more by then.
  std::uint64_t evicted = 0;
  std::uint64_t eviction_steps = 0;  ///< Bundles that were looked at to find those.
  /// Bundles that were looked at because they were opened past the loader and not read whole.
  std::uint64_t unread_steps = 0;
};

/// Loads bundles of a store in the background and keeps count of who needs them. What is wanted by
/// several is loaded once. Never waits, except in `finish` and `wait`.
///
/// Store and executor must outlive it, and it must outlive its handles. One thread at a time; the
/// executor has its own.
///
///     BundleLoader loader(store, executor, {});
///     BundleHandle hero = loader.request(bundle, {.priority = LoadPriority::visible});
///     loader.update(now);                        // once a frame
///     if (hero.state() == LoadState::ready) ...  // `store.load_from(bundle, ...)` is instant
class BundleLoader {
 public:
  BundleLoader(BundleStore& store, LoadExecutor& executor, const LoaderOptions& options);
  /// Drops what has not begun, and waits for what has. Requires: no handles are left.
  ~BundleLoader();
  BundleLoader(const BundleLoader&) = delete;
  BundleLoader& operator=(const BundleLoader&) = delete;

  /// Wants a bundle and all that it depends on. What has failed before is tried again. Requires: an
  /// index of the store's catalog.
  BundleHandle request(std::uint32_t bundle, const LoadRequest& request = {});
  /// The same for the bundle that holds an asset. Fails as `why_not_packed` says.
  Result<BundleHandle> request_asset(const Guid& asset, const LoadRequest& request = {});
  /// Wants every bundle of a registry's entries, in their order.
  std::vector<BundleHandle> request_registry(std::uint32_t registry, const LoadRequest& request);

  /// Closes a bundle and loads it again, if somebody wants it: after its file was replaced, or when
  /// the store says that its bytes were lost. All that was loaded from it dies; handles are
  /// `loading` until it is back. A bundle that has failed is tried again; one that is on its way
  /// goes on. Bundles of this store are not to be closed in any other way.
  void reload(std::uint32_t bundle);

  /// Takes in what has been loaded, drops what comes too late, and starts what is next: by
  /// priority, then by deadline, then in the order of the requests. What was started, but has not
  /// begun, gives way to what is more urgent. Throws std::bad_alloc when the executor has no memory
  /// for what is to be started; that stays for the next update, and nothing is lost.
  void update(Time now);
  /// Updates and waits until a handle is ready or failed: for loading screens.
  LoadState finish(const BundleHandle& handle, Time now);
  /// Waits until something of what is under way has been loaded, if anything is, and updates: for
  /// who has nothing to do before more than one handle is ready.
  void wait(Time now);

  /// What counts against the budget now.
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
    std::uint32_t wanted_by = 0;  ///< Handles, of it and of what depends on it.
    std::array<std::uint32_t, kLoadPriorities> wishes{};  ///< Those, by priority.
    std::uint32_t endless_wishes = 0;                     ///< Those without a deadline.
    Time last_deadline;                                   ///< The latest one of any of them.
    std::uint64_t order = 0;                              ///< Of its being asked for.
    std::uint64_t ticket = 0;          ///< What the queue has under another is old.
    std::uint64_t reserved_bytes = 0;  ///< While it is under way.
    std::uint64_t whole_bytes = 0;     ///< What it takes, once that is known.
    std::uint32_t started_at = 0;      ///< Where it stands in `started_`.
    bool is_unread = false;            ///< It stands in `unread_`.
    /// It is in the list of bundles that may be evicted, with these neighbors.
    bool is_evictable = false;
    std::uint32_t used_before = kNoBundle;
    std::uint32_t used_after = kNoBundle;
    Error error;

    LoadPriority priority() const;
    /// `Time::max()` when somebody wants it for ever.
    Time deadline() const { return endless_wishes > 0 ? Time::max() : last_deadline; }
  };
  struct Waiting {
    LoadPriority priority = LoadPriority::hint;
    Time deadline;
    std::uint64_t order = 0;
    std::uint64_t ticket = 0;
    std::uint32_t bundle = 0;
  };
  /// A deadline of what is queued.
  struct Due {
    Time deadline;
    std::uint64_t ticket = 0;
    std::uint32_t bundle = 0;
  };
  static bool is_after(const Waiting& a, const Waiting& b);
  static bool is_later(const Due& a, const Due& b) { return a.deadline > b.deadline; }
  /// Whether something of one of the two heaps does not count any more.
  template <typename Entry>
  bool is_old(const Entry& entry) const;
  /// What either heap may hold: more than half of it is old, then.
  std::size_t queue_room() const { return 2 * nodes_.size() + 16; }

  template <typename Visit>
  void each_needed(std::uint32_t bundle, Visit visit) const;
  void want(std::uint32_t bundle, const LoadRequest& request);
  void queue(std::uint32_t bundle);
  void push(std::uint32_t bundle);
  void release(const BundleHandle& handle);
  void unwant(std::uint32_t bundle, const BundleHandle& handle);
  LoadState state(std::uint32_t bundle) const;
  const Error& error(std::uint32_t bundle) const;
  void take_in_all();
  void take_in(FinishedLoad& finished);
  template <typename Reason>
  void fail_node(Node& node, Reason reason);
  void drop_late(Time now);
  void drop_late_started(Time now);
  void note_started_deadline(const Node& node);
  void fail_late(std::uint32_t bundle);
  void drop_old_front();
  void recall_less_urgent();
  bool take_back(std::uint32_t bundle);
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
  std::vector<Waiting> queue_;          ///< A heap, the next one in front; may hold what is old.
  std::vector<Due> due_;                ///< The same by deadline, of those that have one.
  std::vector<std::uint32_t> started_;  ///< What the executor has, in no order.
  std::vector<std::uint32_t> visited_;  ///< A copy to walk while they change.
  std::vector<std::uint32_t> unread_;   ///< Which keep room, until the next update looks.
  std::vector<LoadOrder> orders_;       ///< The last of those, until the executor takes them.
  std::vector<FinishedLoad> finished_;
  /// Of what was started and has not begun, none has an earlier one.
  Time started_deadline_ = Time::max();
  bool is_recall_due_ = false;  ///< Something may be more urgent than what was started.
  std::uint64_t last_order_ = 0;
  std::uint64_t last_ticket_ = 0;
  std::uint64_t reserved_bytes_ = 0;  ///< For the bundles under way.
  /// The ends of the list of bundles that are present and not wanted, in the order in which they
  /// became so. Making room takes time per evicted bundle, however many others there are.
  std::uint32_t used_first_ = kNoBundle;
  std::uint32_t used_last_ = kNoBundle;
  std::uint32_t handles_ = 0;
  LoaderCounters counters_;
};

}  // namespace muster
