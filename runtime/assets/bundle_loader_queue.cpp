// The part of BundleLoader that starts loads, collects results and evicts bundles. The executor
// gets more loads than it can begin at once, so that the executor is not idle before the next
// frame. A load that has not begun can be withdrawn.
#include <algorithm>
#include <cassert>
#include <new>

#include "runtime/assets/bundle_loader.h"

namespace muster {
namespace {

// The catalog does not contain the decompressed size of a bundle, so the first attempt uses a
// guess: the file size times this ratio. If the guess is too low, the load needs a second attempt.
constexpr std::uint64_t kGuessedRatio = 4;
constexpr std::uint64_t kMinGuessedBytes = std::uint64_t{256} << 10U;
// A small guess is raised to `kMinGuessedBytes`, or to 1/64 of the free memory if that is less.
constexpr std::uint64_t kGuessedShare = 64;
// The maximum number of bundles that fail in one update because there is too little memory. A
// bundle can depend on thousands of bundles, and composing a message for each failure takes time.
constexpr std::uint64_t kFailuresAtOnce = 256;
constexpr std::uint64_t kMaxGuessedFile = std::uint64_t{1} << 40U;

}  // namespace

// The order of the heap. The front of the heap is the largest element, which is the load that
// starts next.
bool BundleLoader::is_after(const Waiting& a, const Waiting& b) {
  if (a.priority != b.priority) return a.priority < b.priority;
  if (a.deadline != b.deadline) return a.deadline > b.deadline;
  return a.order > b.order;
}

template <typename Entry>
bool BundleLoader::is_old(const Entry& entry) const {
  const Node& node = nodes_[entry.bundle];
  return node.state != NodeState::queued || node.ticket != entry.ticket;
}

void BundleLoader::queue(std::uint32_t bundle) {
  nodes_[bundle].order = ++last_order_;
  push(bundle);
}

// Queues a bundle. Earlier queue entries of the bundle become stale.
void BundleLoader::push(std::uint32_t bundle) {
  Node& node = nodes_[bundle];
  node.state = NodeState::queued;
  node.ticket = ++last_ticket_;
  // Repeated requests must not fill the queue with stale entries.
  const auto drop_old = [this](auto& heap, auto is_behind) {
    if (heap.size() < queue_room()) return;
    std::erase_if(heap, [this](const auto& entry) { return this->is_old(entry); });
    std::ranges::make_heap(heap, is_behind);
  };
  drop_old(queue_, is_after);
  queue_.push_back({node.priority(), node.deadline(), node.order, node.ticket, bundle});
  std::ranges::push_heap(queue_, is_after);
  is_recall_due_ = true;
  if (node.deadline() == Time::max()) return;
  drop_old(due_, is_later);
  due_.push_back({node.deadline(), node.ticket, bundle});
  std::ranges::push_heap(due_, is_later);
}

void BundleLoader::apply_finished() {
  for (FinishedLoad& finished : finished_) {
    try {
      apply_load(finished);
    } catch (const std::bad_alloc&) {
      fail_node(nodes_[finished.bundle], [] { return fail_without_memory().value(); });
    }
  }
  finished_.clear();
}

void BundleLoader::apply_load(FinishedLoad& finished) {
  Node& node = nodes_[finished.bundle];
  assert(node.state == NodeState::loading);
  forget_started(finished.bundle);
  const bool is_known = node.whole_bytes > 0;
  node.whole_bytes = finished.whole_bytes;
  if (!finished.result) {
    // The real size was above the estimate. The real size is known now, so a second attempt may
    // succeed.
    const bool is_too_large = finished.result.error().code == ErrorCode::limit_exceeded;
    if (is_too_large && !is_known && node.whole_bytes > 0 && node.request_count > 0) {
      return push(finished.bundle);
    }
    return fail_node(node, [&] { return std::move(finished.result.error()); });
  }
  // The game may have opened the bundle directly since the load began.
  const bool is_there = store_.is_open(finished.bundle);
  const std::uint64_t bytes =
      is_there ? store_.unread_bytes(finished.bundle) : finished.result.value().memory_bytes();
  if (!make_room(bytes)) {
    return fail_node(node, [&] { return without_room(finished.bundle, bytes); });
  }
  if (is_there) {
    keep_room(finished.bundle);
  } else {
    store_.adopt(finished.bundle, std::move(finished.result.value()));
  }
  node.state = NodeState::present;
  update_evictable(finished.bundle);
  ++counters_.loaded;
  if (node.request_count == 0) ++counters_.unwanted;
}

// Records a failure even if there is not enough memory for its message.
template <typename Reason>
void BundleLoader::fail_node(Node& node, Reason reason) {
  ++counters_.failed;
  node.error = {};
  // A bundle without handles does not fail.
  node.state = node.request_count == 0 ? NodeState::absent : NodeState::failed;
  if (node.state == NodeState::absent) return;
  try {
    node.error = reason();
  } catch (const std::bad_alloc&) {
    node.error = fail_without_memory().value();
  }
}

void BundleLoader::drop_late(Time now) {
  while (!due_.empty() && due_.front().deadline < now) {
    std::ranges::pop_heap(due_, is_later);
    const Due late = due_.back();
    due_.pop_back();
    if (!is_old(late)) fail_late(late.bundle);
  }
  if (started_deadline_ < now) drop_late_started(now);
}

void BundleLoader::drop_late_started(Time now) {
  started_deadline_ = Time::max();
  visited_ = started_;
  for (const std::uint32_t bundle : visited_) {
    const Node& node = nodes_[bundle];
    if (node.deadline() >= now) {
      note_started_deadline(node);
    } else if (cancel_load(bundle)) {
      fail_late(bundle);
    }  // A load that has begun is finished, even after its deadline.
  }
}

void BundleLoader::note_started_deadline(const Node& node) {
  started_deadline_ = std::min(started_deadline_, node.deadline());
}

void BundleLoader::fail_late(std::uint32_t bundle) {
  ++counters_.timed_out;
  fail_node(nodes_[bundle], [&] {
    return Error{ErrorCode::timed_out,
                 "bundle " + store_.describe(bundle) + " had not begun to load by its deadline"};
  });
}

void BundleLoader::drop_old_front() {
  while (!queue_.empty() && is_old(queue_.front())) {
    std::ranges::pop_heap(queue_, is_after);
    queue_.pop_back();
  }
}

// If a more urgent load waits, moves the loads that the executor has not begun back to the queue.
// The executor loads in the order of the starts, so the more urgent load would begin last.
void BundleLoader::recall_less_urgent() {
  if (!std::exchange(is_recall_due_, false)) return;
  drop_old_front();
  if (queue_.empty()) return;
  const LoadPriority urgent = queue_.front().priority;
  visited_ = started_;
  for (const std::uint32_t bundle : visited_) {
    if (nodes_[bundle].priority() < urgent && cancel_load(bundle)) push(bundle);
  }
}

// Returns false if the executor has begun the load.
bool BundleLoader::cancel_load(std::uint32_t bundle) {
  if (!executor_.cancel(bundle)) return false;
  forget_started(bundle);
  return true;
}

void BundleLoader::forget_started(std::uint32_t bundle) {
  const std::uint32_t at = nodes_[bundle].started_at;
  assert(at < started_.size() && started_[at] == bundle);
  nodes_[started_.back()].started_at = at;
  started_[at] = started_.back();
  started_.pop_back();
  reserved_bytes_ -= std::exchange(nodes_[bundle].reserved_bytes, 0);
}

// Passes all loads to the executor together, because passing small bundles one by one would take
// longer than loading them.
void BundleLoader::start_next() {
  choose_next();
  executor_.start(orders_);
  orders_.clear();
}

void BundleLoader::choose_next() {
  std::uint64_t started_bytes = 0;
  const std::uint64_t failed_max = counters_.failed + kFailuresAtOnce;
  for (drop_old_front(); !queue_.empty() && running_loads() < executor_.parallel_loads();
       drop_old_front()) {
    const Waiting next = queue_.front();
    const std::uint64_t bytes = store_.catalog().bundle(next.bundle).file_bytes;
    const std::uint64_t left = options_.start_budget_bytes - started_bytes;
    if (counters_.failed >= failed_max || (started_bytes > 0 && bytes > left)) return;
    if (!start(next)) return;
    started_bytes += std::min(bytes, left);
  }
}

// Starts the load at the front of the queue. If there is too little memory, the load fails. Returns
// false if the load must wait.
bool BundleLoader::start(const Waiting& next) {
  Node& node = nodes_[next.bundle];
  // True if the game has opened the bundle directly since the request. In this case, the memory of
  // the entries that were read already counts, and all other entries are read on demand.
  const bool is_there = store_.is_open(next.bundle);
  const std::uint64_t file_bytes = store_.catalog().bundle(next.bundle).file_bytes;
  const std::uint64_t minimum =
      is_there ? store_.unread_bytes(next.bundle) : std::max(file_bytes, node.whole_bytes);
  if (!make_room(minimum)) {
    // Memory may become free when a running load fails or is released, so wait.
    if (!started_.empty()) return false;
    fail_node(node, [&] { return without_room(next.bundle, minimum); });
    return true;
  }
  if (is_there) {
    node.state = NodeState::present;
    keep_room(next.bundle);
    ++counters_.loaded;
    return true;
  }
  // An estimated size does not evict other bundles. If the estimate is too low, the next attempt
  // knows the size.
  std::uint64_t reserved = minimum;
  if (node.whole_bytes == 0) {
    const std::uint64_t by_file = std::min(file_bytes, kMaxGuessedFile) * kGuessedRatio;
    const std::uint64_t by_share = std::min(kMinGuessedBytes, free_bytes() / kGuessedShare);
    reserved = std::max(minimum, std::min(std::max(by_file, by_share), free_bytes()));
  }
  node.reserved_bytes = reserved;
  reserved_bytes_ += reserved;
  store_.memory()->shrink_to(free_bytes());
  node.started_at = running_loads();
  started_.push_back(next.bundle);
  node.state = NodeState::loading;
  note_started_deadline(node);
  orders_.push_back({.bundle = next.bundle, .memory_max_bytes = reserved});
  return true;
}

// The memory reserved for loading bundles, and for bundles that were opened directly and not
// completely read.
std::uint64_t BundleLoader::reserved_bytes() const {
  return reserved_bytes_ + store_.expected_bytes();
}

void BundleLoader::keep_room(std::uint32_t bundle) {
  if (!std::exchange(nodes_[bundle].is_unread, true)) unread_.push_back(bundle);
  update_expected(bundle);
}

// Reserves memory for the unread part of a requested bundle. A queued bundle does not count until
// it starts.
void BundleLoader::update_expected(std::uint32_t bundle) {
  const Node& node = nodes_[bundle];
  const bool is_in_use = node.request_count > 0 && node.state == NodeState::present;
  store_.set_expected(bundle, node.is_unread && is_in_use);
}

void BundleLoader::drop_read() {
  counters_.unread_steps += unread_.size();
  std::erase_if(unread_, [this](std::uint32_t bundle) {
    Node& node = nodes_[bundle];
    const bool is_in_use = node.request_count > 0 && node.state == NodeState::present;
    node.is_unread = is_in_use && store_.unread_bytes(bundle) > 0;
    if (!node.is_unread) update_expected(bundle);
    return !node.is_unread;
  });
}

// The free part of the budget. Buffers that are kept for reuse count as free.
std::uint64_t BundleLoader::free_bytes() const {
  const std::uint64_t used = store_.memory_bytes() + reserved_bytes();
  return options_.memory_budget_bytes - std::min(used, options_.memory_budget_bytes);
}

// Closes unused bundles until `bytes` bytes are free. Returns false, and closes nothing, if that is
// not possible.
bool BundleLoader::make_room(std::uint64_t bytes) {
  if (bytes > free_bytes()) {
    const std::uint64_t budget = options_.memory_budget_bytes;
    const std::uint64_t reserved = reserved_bytes();
    const std::uint64_t kept_bytes = store_.memory_bytes() - store_.discardable_bytes() + reserved;
    if (kept_bytes > budget || bytes > budget - kept_bytes) return false;
    const auto is_short = [&] {
      return bytes > budget - std::min(store_.memory_bytes() + reserved, budget);
    };
    for (; is_short(); ++counters_.eviction_steps) evict(used_first_);
  }
  store_.memory()->shrink_to(free_bytes() - bytes);
  return true;
}

void BundleLoader::evict(std::uint32_t bundle) {
  store_.close_bundle(bundle);
  nodes_[bundle].state = NodeState::absent;
  update_evictable(bundle);
  ++counters_.evicted;
}

void BundleLoader::update_evictable(std::uint32_t bundle) {
  update_expected(bundle);
  Node& node = nodes_[bundle];
  const bool is_evictable = node.state == NodeState::present && node.request_count == 0;
  if (is_evictable == node.is_evictable) return;
  is_evictable ? link_evictable(bundle) : unlink_evictable(bundle);
}

void BundleLoader::link_evictable(std::uint32_t bundle) {
  Node& node = nodes_[bundle];
  node.is_evictable = true;
  store_.set_discardable(bundle, true);
  node.used_before = used_last_;
  node.used_after = kNoBundle;
  (used_last_ == kNoBundle ? used_first_ : nodes_[used_last_].used_after) = bundle;
  used_last_ = bundle;
}

void BundleLoader::unlink_evictable(std::uint32_t bundle) {
  Node& node = nodes_[bundle];
  node.is_evictable = false;
  store_.set_discardable(bundle, false);
  const auto [before, after] = std::pair(node.used_before, node.used_after);
  (before == kNoBundle ? used_first_ : nodes_[before].used_after) = after;
  (after == kNoBundle ? used_last_ : nodes_[after].used_before) = before;
}

Error BundleLoader::without_room(std::uint32_t bundle, std::uint64_t bytes) const {
  return {ErrorCode::limit_exceeded,
          "no room for bundle " + store_.describe(bundle) + " of " + std::to_string(bytes) +
              " bytes: " + std::to_string(store_.memory_bytes() + reserved_bytes()) + " of " +
              std::to_string(options_.memory_budget_bytes) + " bytes are in use"};
}

}  // namespace muster
