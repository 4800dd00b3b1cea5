#include "runtime/assets/load_executor.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <new>
#include <utility>

namespace muster {
namespace {

// A frame's worth of small bundles.
constexpr std::uint32_t kLoadsPerThread = 128;

// Returns false when it is not there.
bool take_out(std::deque<LoadOrder>& orders, std::uint32_t bundle) {
  const auto found = std::ranges::find(orders, bundle, &LoadOrder::bundle);
  if (found == orders.end()) return false;
  orders.erase(found);
  return true;
}

void move_to(std::vector<FinishedLoad>& from, std::vector<FinishedLoad>& out) {
  out.insert(out.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  from.clear();
}

Result<void> read_all(const CatalogReader& catalog, const LoadOrder& order,
                      Decompressor& decompressor, MemoryPool* memory, FinishedLoad& load) {
  OpenedBundle& opened = load.result.value();
  load.whole_bytes = opened.whole_memory_bytes();
  const auto refuse = [&](ErrorCode code, const std::string& reason) {
    return fail(code, "bundle " + describe_bundle(catalog, order.bundle) + " " + reason);
  };
  if (load.whole_bytes > order.memory_max_bytes) {
    return refuse(ErrorCode::limit_exceeded, "takes " + std::to_string(load.whole_bytes) +
                                                 " bytes, and may take " +
                                                 std::to_string(order.memory_max_bytes));
  }
  MemoryPool none;
  for (std::uint32_t i = 0; i < opened.plain.size(); ++i) {
    Result<void> entry = read_entry(opened, i, decompressor, memory != nullptr ? *memory : none);
    if (entry) continue;
    const bool is_damaged = entry.error().code != ErrorCode::limit_exceeded;
    return refuse(entry.error().code, (is_damaged ? "is damaged: " : "") + entry.error().message);
  }
  return {};
}

}  // namespace

// A bundle may have more in it than there is memory. On a thread of its own nobody would catch
// that.
FinishedLoad load_whole(const BundleSource& source, const CatalogReader& catalog,
                        const LoadOrder& order, Decompressor& decompressor, MemoryPool* memory) {
  FinishedLoad load{.bundle = order.bundle, .result = fail_without_memory(), .whole_bytes = 0};
  try {
    load.result = open_verified(source, catalog, order.bundle);
    if (!load.result) return load;
    Result<void> read = read_all(catalog, order, decompressor, memory, load);
    if (!read) load.result = fail(read.error());
  } catch (const std::bad_alloc&) {
    load.result = fail_without_memory();
  }
  return load;
}

ThreadedLoads::ThreadedLoads(const BundleSource& source, const CatalogReader& catalog,
                             std::uint32_t threads, std::shared_ptr<MemoryPool> memory)
    : source_(source), catalog_(catalog), memory_(std::move(memory)) {
  assert(threads >= 1);
  threads_.reserve(threads);
  try {
    for (std::uint32_t i = 0; i < threads; ++i) {
      threads_.emplace_back([this, own = Decompressor()]() mutable { work(own); });
    }
  } catch (...) {
    stop();  // those that did start; a thread must not be destroyed while it runs
    throw;
  }
}

ThreadedLoads::~ThreadedLoads() { stop(); }

void ThreadedLoads::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  started_signal_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadedLoads::start(const LoadOrder& order) {
  {
    const std::lock_guard lock(mutex_);
    finished_.reserve(under_way_ + 1);  // here, because the other threads must not fail
    started_.push_back(order);
    ++under_way_;
  }
  started_signal_.notify_one();
}

bool ThreadedLoads::cancel(std::uint32_t bundle) {
  const std::lock_guard lock(mutex_);
  if (!take_out(started_, bundle)) return false;
  --under_way_;
  return true;
}

void ThreadedLoads::collect(std::vector<FinishedLoad>& out) {
  const std::lock_guard lock(mutex_);
  under_way_ -= static_cast<std::uint32_t>(finished_.size());
  move_to(finished_, out);
}

std::uint32_t ThreadedLoads::parallel_loads() const {
  return kLoadsPerThread * static_cast<std::uint32_t>(threads_.size());
}

void ThreadedLoads::wait() {
  std::unique_lock lock(mutex_);
  finished_signal_.wait(lock, [this] { return !finished_.empty() || under_way_ == 0; });
}

void ThreadedLoads::work(Decompressor& decompressor) {
  std::unique_lock lock(mutex_);
  while (true) {
    started_signal_.wait(lock, [this] { return is_stopping_ || !started_.empty(); });
    if (is_stopping_) return;
    const LoadOrder order = started_.front();
    started_.pop_front();
    lock.unlock();
    FinishedLoad load = load_whole(source_, catalog_, order, decompressor, memory_.get());
    lock.lock();
    finished_.push_back(std::move(load));
    finished_signal_.notify_one();
  }
}

bool SteppedLoads::cancel(std::uint32_t bundle) { return take_out(started_, bundle); }

void SteppedLoads::collect(std::vector<FinishedLoad>& out) {
  while (!is_manual_ && !started_.empty()) step();
  move_to(finished_, out);
}

void SteppedLoads::wait() {
  if (finished_.empty() && !started_.empty()) step();
}

std::uint64_t SteppedLoads::finished_bytes() const {
  std::uint64_t sum = 0;
  for (const FinishedLoad& load : finished_) {
    if (load.result) sum += load.result.value().memory_bytes();
  }
  return sum;
}

void SteppedLoads::step(std::size_t index) {
  assert(index < started_.size());
  const LoadOrder order = started_[index];
  started_.erase(started_.begin() + static_cast<std::ptrdiff_t>(index));
  finished_.push_back(load_whole(source_, catalog_, order, decompressor_, memory_.get()));
}

}  // namespace muster
