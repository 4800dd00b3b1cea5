// There is one node per bundle. A node counts the handles that need its bundle: the handles of the
// bundle itself, and the handles of bundles that depend on it directly or indirectly. Nodes never
// wait for each other. A handle is ready when all nodes that it needs are ready. This file counts
// requests; bundle_loader_queue.cpp does the loading.
#include "runtime/assets/bundle_loader.h"

#include <algorithm>
#include <cassert>

namespace muster {
LoadState BundleHandle::state() const {
  return loader_ == nullptr ? LoadState::failed : loader_->state(bundle_);
}

const Error& BundleHandle::error() const {
  assert(loader_ != nullptr);
  return loader_->error(bundle_);
}

void BundleHandle::release() {
  if (loader_ != nullptr) std::exchange(loader_, nullptr)->release(*this);
}

BundleLoader::BundleLoader(BundleStore& store, LoadExecutor& executor, const LoaderOptions& options)
    : store_(store),
      executor_(executor),
      options_(options),
      nodes_(store.catalog().bundle_count()) {
  // Reserves memory now, so that no request, release or result is lost if there is no memory later.
  queue_.reserve(queue_room());
  due_.reserve(queue_room());
  started_.reserve(nodes_.size());
  visited_.reserve(nodes_.size());
  orders_.reserve(nodes_.size());
  unread_.reserve(nodes_.size());
  finished_.reserve(std::min<std::size_t>(nodes_.size(), executor.parallel_loads()));
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (store_.chosen(i) != i || !store_.is_open(i)) continue;
    nodes_[i].state = NodeState::present;
    update_evictable(i);
  }
}

BundleLoader::~BundleLoader() {
  assert(handles_ == 0);
  while (used_first_ != kNoBundle) unlink_evictable(used_first_);
  // Drops the loads that have not begun, and waits for the results of the running loads.
  std::erase_if(started_, [this](std::uint32_t bundle) { return executor_.cancel(bundle); });
  for (std::size_t left = started_.size(); left > 0; left -= finished_.size()) {
    executor_.wait();
    finished_.clear();
    executor_.collect(finished_);
    // The remaining loads were never started, because there was too little memory.
    if (finished_.empty()) break;
  }
}

BundleHandle BundleLoader::request(std::uint32_t bundle, const LoadRequest& request) {
  assert(bundle < nodes_.size());
  bundle = store_.chosen(bundle);
  each_needed(bundle, [&](std::uint32_t needed) { add_request(needed, request); });
  ++handles_;
  return {*this, bundle, request};
}

Result<BundleHandle> BundleLoader::request_asset(const Guid& asset, const LoadRequest& request) {
  const std::optional<std::uint32_t> bundle = store_.catalog().bundle_of(asset);
  if (!bundle) return fail(why_not_packed(store_.catalog(), asset));
  return this->request(*bundle, request);
}

std::vector<BundleHandle> BundleLoader::request_registry(RegistryIndex registry,
                                                         const LoadRequest& request) {
  const CatalogRegistry record = store_.catalog().registry(registry);
  std::vector<BundleHandle> handles;
  for (std::uint32_t i = 0; i < record.entry_count; ++i) {
    const CatalogEntry entry = store_.catalog().entry(record.first_entry + i);
    if (entry.bundle != layout::kNone) handles.push_back(this->request(entry.bundle, request));
  }
  return handles;
}

void BundleLoader::reload(std::uint32_t bundle) {
  assert(bundle < nodes_.size());
  bundle = store_.chosen(bundle);
  Node& node = nodes_[bundle];
  store_.close_bundle(bundle);
  node.whole_bytes = 0;  // The size of a bundle in a preview may change.
  if (node.state != NodeState::present && node.state != NodeState::failed) return;
  node.state = NodeState::absent;
  node.error = {};
  update_evictable(bundle);
  if (node.request_count > 0) queue(bundle);
}

void BundleLoader::update(Time now) {
  finished_.clear();
  executor_.collect(finished_);
  drop_read();
  apply_finished();
  drop_late(now);
  recall_less_urgent();
  start_next();
}

LoadState BundleLoader::finish(const BundleHandle& handle, Time now) {
  update(now);
  while (handle.state() == LoadState::loading) wait(now);
  return handle.state();
}

void BundleLoader::wait(Time now) {
  executor_.wait();
  update(now);
}

template <typename Visit>
void BundleLoader::each_needed(std::uint32_t bundle, Visit visit) const {
  store_.choice().each_dependency(bundle, visit);
  visit(bundle);
}

LoadPriority BundleLoader::Node::priority() const {
  std::size_t highest = kLoadPriorities - 1;
  while (highest > 0 && requests[highest] == 0) --highest;
  return static_cast<LoadPriority>(highest);
}

// A bundle has the highest priority and the latest deadline of all its requests.
void BundleLoader::add_request(std::uint32_t bundle, const LoadRequest& request) {
  Node& node = nodes_[bundle];
  if (node.request_count == 0) {
    node.last_deadline = Time::min();
    // A bundle that was opened directly may have unread entries, which need memory later.
    const std::uint64_t unread = node.state == NodeState::present ? store_.unread_bytes(bundle) : 0;
    const std::uint64_t room = unread > 0 ? free_bytes() : 0;
    if (unread > room) {
      node.state = NodeState::absent;
    } else if (unread > 0) {
      keep_room(bundle);
      store_.memory()->shrink_to(room - unread);
    }
  }
  ++node.request_count;
  update_evictable(bundle);
  const LoadPriority priority = node.priority();
  const Time deadline = node.deadline();
  ++node.requests[static_cast<std::size_t>(request.priority)];
  if (request.deadline) {
    node.last_deadline = std::max(node.last_deadline, *request.deadline);
  } else {
    ++node.requests_without_deadline;
  }
  if (node.state == NodeState::absent || node.state == NodeState::failed) {
    ++counters_.requested;
    return queue(bundle);
  }
  const bool is_raised = node.priority() != priority;
  if (node.state == NodeState::loading) {
    if (is_raised && cancel_load(bundle)) return push(bundle);
    note_started_deadline(node);
  }
  if (node.state != NodeState::queued) return;
  if (is_raised || node.deadline() != deadline) push(bundle);
}

void BundleLoader::release(const BundleHandle& handle) {
  --handles_;
  each_needed(handle.bundle_, [&](std::uint32_t needed) { unwant(needed, handle); });
}

void BundleLoader::unwant(std::uint32_t bundle, const BundleHandle& handle) {
  Node& node = nodes_[bundle];
  assert(node.request_count > 0);
  const LoadPriority priority = node.priority();
  const Time deadline = node.deadline();
  --node.requests[static_cast<std::size_t>(handle.priority_)];
  if (!handle.has_deadline_) --node.requests_without_deadline;
  if (--node.request_count > 0) {
    const bool is_unchanged = node.priority() == priority && node.deadline() == deadline;
    if (node.state == NodeState::queued && !is_unchanged) push(bundle);
    if (node.state == NodeState::loading && !is_unchanged) {
      note_started_deadline(node);
      is_recall_due_ = true;  // The load may now be less urgent than a waiting load.
    }
    return;
  }
  const bool is_cancelled =
      node.state == NodeState::queued || (node.state == NodeState::loading && cancel_load(bundle));
  if (is_cancelled) ++counters_.cancelled;
  if (is_cancelled || node.state == NodeState::failed) {
    node.state = store_.is_open(bundle) ? NodeState::present : NodeState::absent;
    node.error = {};
  }
  update_evictable(bundle);
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

}  // namespace muster
