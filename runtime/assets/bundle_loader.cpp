// Every bundle is a node that knows how many want it: a handle wants its bundle and all that the
// catalog lists below it, which is the whole closure. Nodes never wait for each other; a handle is
// ready when all of its nodes are.
#include "runtime/assets/bundle_loader.h"

#include <algorithm>
#include <cassert>

namespace muster {
namespace {

// What a bundle takes is not in the catalog. Large content that compresses better than this costs a
// second attempt; small content does so only where memory is short.
constexpr std::uint64_t kGuessedRatio = 4;
constexpr std::uint64_t kGuessedLeast = std::uint64_t{256} << 10U;
constexpr std::uint64_t kGuessedShare = 64;  // Of what is free, at most one part in so many.
constexpr std::uint64_t kMaxGuessedFile = std::uint64_t{1} << 40U;

}  // namespace

LoadState BundleHandle::state() const {
  return loader_ == nullptr ? LoadState::failed : loader_->state(bundle_);
}

const Error& BundleHandle::error() const {
  assert(loader_ != nullptr);
  return loader_->error(bundle_);
}

void BundleHandle::release() {
  if (loader_ != nullptr) std::exchange(loader_, nullptr)->release(bundle_);
}

BundleLoader::BundleLoader(BundleStore& store, LoadExecutor& executor, const LoaderOptions& options)
    : store_(store),
      executor_(executor),
      options_(options),
      nodes_(store.catalog().bundle_count()) {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!store_.is_open(i)) continue;
    nodes_[i].state = NodeState::present;
    nodes_[i].memory_bytes = store_.memory_bytes(i);
    memory_bytes_ += nodes_[i].memory_bytes;
  }
}

BundleLoader::~BundleLoader() {
  assert(handles_ == 0);
  // The executor may still be at work on what nobody will collect.
  while (under_way_ > 0) {
    executor_.wait();
    finished_.clear();
    executor_.collect(finished_);
    under_way_ -= static_cast<std::uint32_t>(finished_.size());
  }
}

BundleHandle BundleLoader::request(std::uint32_t bundle, const LoadRequest& request) {
  assert(bundle < nodes_.size());
  each_needed(bundle, [&](std::uint32_t needed) { want(needed, request); });
  ++handles_;
  return {*this, bundle};
}

Result<BundleHandle> BundleLoader::request_asset(const Guid& asset, const LoadRequest& request) {
  const std::optional<std::uint32_t> bundle = store_.catalog().bundle_of(asset);
  if (!bundle) {
    return fail(ErrorCode::not_found, "asset " + asset.to_string() + " is not in this build");
  }
  return this->request(*bundle, request);
}

std::vector<BundleHandle> BundleLoader::request_registry(std::uint32_t registry,
                                                         const LoadRequest& request) {
  const CatalogRegistry record = store_.catalog().registry(registry);
  std::vector<BundleHandle> handles;
  for (std::uint32_t i = 0; i < record.entry_count; ++i) {
    const CatalogEntry entry = store_.catalog().entry(record.first_entry + i);
    if (entry.bundle != layout::kNone) handles.push_back(this->request(entry.bundle, request));
  }
  return handles;
}

void BundleLoader::update(Time now) {
  finished_.clear();
  executor_.collect(finished_);
  for (FinishedLoad& finished : finished_) take_in(finished);
  finished_.clear();
  drop_late(now);
  start_next();
}

LoadState BundleLoader::finish(const BundleHandle& handle, Time now) {
  update(now);
  while (handle.state() == LoadState::loading) {
    executor_.wait();
    update(now);
  }
  return handle.state();
}

// A heap keeps the largest in front: the one that nothing comes before.
bool BundleLoader::is_after(const Waiting& a, const Waiting& b) {
  if (a.priority != b.priority) return a.priority < b.priority;
  if (a.deadline != b.deadline) return a.deadline > b.deadline;
  return a.order > b.order;
}

bool BundleLoader::is_old(const Waiting& waiting) const {
  const Node& node = nodes_[waiting.bundle];
  return node.state != NodeState::queued || node.order != waiting.order;
}

template <typename Visit>
void BundleLoader::each_needed(std::uint32_t bundle, Visit visit) const {
  const CatalogBundle record = store_.catalog().bundle(bundle);
  for (std::uint32_t i = 0; i < record.dependency_count; ++i) {
    visit(store_.catalog().dependency(record, i));
  }
  visit(bundle);
}

void BundleLoader::want(std::uint32_t bundle, const LoadRequest& request) {
  Node& node = nodes_[bundle];
  const bool is_first = node.wanted_by++ == 0;
  if (node.state == NodeState::present || node.state == NodeState::loading) return;
  const bool is_queued = node.state == NodeState::queued;
  if (!is_queued) ++counters_.requested;
  // Whoever wants it most, and for longest, decides.
  const LoadPriority priority =
      is_first ? request.priority : std::max(node.priority, request.priority);
  std::optional<Time> deadline = request.deadline;
  if (!is_first && is_queued) {
    deadline = node.deadline && request.deadline ? std::max(node.deadline, request.deadline)
                                                 : std::nullopt;
  }
  if (is_queued && priority == node.priority && deadline == node.deadline) return;
  node.priority = priority;
  node.deadline = deadline;
  queue(bundle);
}

void BundleLoader::queue(std::uint32_t bundle) {
  nodes_[bundle].order = ++last_order_;
  push(bundle);
}

// In the place that it has by its order.
void BundleLoader::push(std::uint32_t bundle) {
  Node& node = nodes_[bundle];
  node.state = NodeState::queued;
  // Requests that come and go must not fill the queue with what is old.
  if (queue_.size() >= 2 * nodes_.size() + 16) {
    std::erase_if(queue_, [this](const Waiting& waiting) { return is_old(waiting); });
    std::ranges::make_heap(queue_, is_after);
  }
  queue_.push_back({node.priority, node.deadline.value_or(Time::max()), node.order, bundle});
  std::ranges::push_heap(queue_, is_after);
}

void BundleLoader::release(std::uint32_t bundle) {
  --handles_;
  ++last_use_;
  each_needed(bundle, [&](std::uint32_t needed) {
    Node& node = nodes_[needed];
    assert(node.wanted_by > 0);
    node.used_at = last_use_;
    if (--node.wanted_by > 0) return;
    if (node.state == NodeState::queued) ++counters_.cancelled;
    if (node.state == NodeState::queued || node.state == NodeState::failed) {
      node.state = NodeState::absent;
      node.error = {};
    }
  });
}

LoadState BundleLoader::state(std::uint32_t bundle) const {
  bool is_ready = true;
  bool has_failed = false;
  each_needed(bundle, [&](std::uint32_t needed) {
    has_failed = has_failed || nodes_[needed].state == NodeState::failed;
    is_ready = is_ready && nodes_[needed].state == NodeState::present;
  });
  if (has_failed) return LoadState::failed;
  return is_ready ? LoadState::ready : LoadState::loading;
}

const Error& BundleLoader::error(std::uint32_t bundle) const {
  const Error* found = nullptr;
  each_needed(bundle, [&](std::uint32_t needed) {
    if (nodes_[needed].state == NodeState::failed) found = &nodes_[needed].error;
  });
  assert(found != nullptr);
  return *found;
}

void BundleLoader::take_in(FinishedLoad& finished) {
  Node& node = nodes_[finished.bundle];
  assert(node.state == NodeState::loading);
  --under_way_;
  reserved_bytes_ -= std::exchange(node.memory_bytes, 0);
  const bool is_known = node.whole_bytes > 0;
  node.whole_bytes = finished.whole_bytes;
  if (!finished.result) {
    // More than was guessed: now that it is known, there may be room for it.
    const bool is_too_large = finished.result.error().code == ErrorCode::limit_exceeded;
    if (is_too_large && !is_known && node.whole_bytes > 0 && node.wanted_by > 0) {
      return push(finished.bundle);
    }
    return fail_node(node, finished.result.error());
  }
  const std::uint64_t bytes = finished.result.value().memory_bytes();
  if (!make_room(bytes)) {
    return fail_node(node, fail_without_room(finished.bundle, bytes).value());
  }
  // Somebody may have opened it meanwhile by asking the store itself.
  if (!store_.is_open(finished.bundle)) {
    store_.adopt(finished.bundle, std::move(finished.result.value()));
  }
  node.state = NodeState::present;
  node.memory_bytes = bytes;
  memory_bytes_ += bytes;
  ++counters_.loaded;
  if (node.wanted_by == 0) ++counters_.unwanted;
}

void BundleLoader::fail_node(Node& node, Error error) {
  ++counters_.failed;
  // Nobody is left to be told.
  node.state = node.wanted_by == 0 ? NodeState::absent : NodeState::failed;
  node.error = node.wanted_by == 0 ? Error() : std::move(error);
}

void BundleLoader::drop_late(Time now) {
  for (const Waiting& waiting : queue_) {
    if (is_old(waiting) || waiting.deadline >= now) continue;
    ++counters_.timed_out;
    fail_node(nodes_[waiting.bundle],
              {ErrorCode::timed_out, "bundle " + store_.describe(waiting.bundle) +
                                         " had not begun to load by its deadline"});
  }
}

void BundleLoader::start_next() {
  std::uint64_t started_bytes = 0;
  while (!queue_.empty() && under_way_ < executor_.parallel_loads()) {
    const Waiting next = queue_.front();
    if (!is_old(next)) {
      const std::uint64_t bytes = store_.catalog().bundle(next.bundle).file_bytes;
      const bool is_first = started_bytes == 0;
      if (!is_first && bytes > options_.start_budget_bytes - started_bytes) return;
      if (!start(next)) return;
      started_bytes += std::min(bytes, options_.start_budget_bytes - started_bytes);
    }
    std::ranges::pop_heap(queue_, is_after);
    queue_.pop_back();
  }
}

// Starts what is in front of the queue, or fails it for want of room. Returns false when it has to
// wait.
bool BundleLoader::start(const Waiting& next) {
  Node& node = nodes_[next.bundle];
  const std::uint64_t file_bytes = store_.catalog().bundle(next.bundle).file_bytes;
  const std::uint64_t least = std::max(file_bytes, node.whole_bytes);
  if (!make_room(least)) {
    // What is under way may fail, or be let go, once it is there: no reason to fail yet.
    if (under_way_ > 0) return false;
    fail_node(node, fail_without_room(next.bundle, least).value());
    return true;
  }
  // Nothing is evicted for a guess: if it is too low, the next attempt knows.
  std::uint64_t reserved = least;
  if (node.whole_bytes == 0) {
    const std::uint64_t by_file = std::min(file_bytes, kMaxGuessedFile) * kGuessedRatio;
    const std::uint64_t by_share = std::min(kGuessedLeast, free_bytes() / kGuessedShare);
    reserved = std::max(least, std::min(std::max(by_file, by_share), free_bytes()));
  }
  node.memory_bytes = reserved;
  reserved_bytes_ += reserved;
  store_.memory()->shrink_to(free_bytes());
  ++under_way_;
  node.state = NodeState::loading;
  executor_.start({.bundle = next.bundle, .memory_max_bytes = reserved});
  return true;
}

// Without what is kept for reuse, which goes when it is in the way.
std::uint64_t BundleLoader::free_bytes() const {
  const std::uint64_t used = memory_bytes_ + reserved_bytes_;
  return options_.memory_budget_bytes - std::min(used, options_.memory_budget_bytes);
}

// Makes `bytes` more fit, by closing what nobody keeps. Returns false, and closes nothing, when
// that would not suffice.
bool BundleLoader::make_room(std::uint64_t bytes) {
  if (bytes > free_bytes()) {
    std::vector<std::uint32_t> evictable;
    std::uint64_t evictable_bytes = 0;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].state != NodeState::present || nodes_[i].wanted_by > 0) continue;
      evictable.push_back(i);
      evictable_bytes += nodes_[i].memory_bytes;
    }
    const std::uint64_t kept_bytes = memory_bytes_ - evictable_bytes + reserved_bytes_;
    const std::uint64_t budget = options_.memory_budget_bytes;
    if (kept_bytes > budget || bytes > budget - kept_bytes) return false;
    std::ranges::sort(evictable, {}, [this](std::uint32_t i) { return nodes_[i].used_at; });
    for (std::size_t n = 0; bytes > free_bytes(); ++n) evict(evictable[n]);
  }
  store_.memory()->shrink_to(free_bytes() - bytes);
  return true;
}

void BundleLoader::evict(std::uint32_t bundle) {
  store_.close_bundle(bundle);
  memory_bytes_ -= std::exchange(nodes_[bundle].memory_bytes, 0);
  nodes_[bundle].state = NodeState::absent;
  ++counters_.evicted;
}

tl::unexpected<Error> BundleLoader::fail_without_room(std::uint32_t bundle,
                                                      std::uint64_t bytes) const {
  return fail(ErrorCode::limit_exceeded,
              "no room for bundle " + store_.describe(bundle) + " of " + std::to_string(bytes) +
                  " bytes: " + std::to_string(memory_bytes_ + reserved_bytes_) + " of " +
                  std::to_string(options_.memory_budget_bytes) + " bytes are in use");
}

}  // namespace muster
