#include "runtime/assets/load_executor.h"

#include <cassert>
#include <iterator>
#include <new>
#include <utility>

namespace muster {
namespace {

void move_to(std::vector<FinishedLoad>& from, std::vector<FinishedLoad>& out) {
  out.insert(out.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  from.clear();
}

Result<OpenedBundle> open_and_read(const BundleSource& source, const CatalogReader& catalog,
                                   std::uint32_t bundle, Decompressor& decompressor) {
  Result<OpenedBundle> opened = open_verified(source, catalog, bundle);
  if (!opened) return opened;
  MemoryPool fresh;  // a store's pool belongs to its thread
  for (std::uint32_t i = 0; i < opened.value().plain.size(); ++i) {
    if (Result<void> entry = read_entry(opened.value(), i, decompressor, fresh); !entry) {
      return fail(entry.error().code, "bundle " + describe_bundle(catalog, bundle) +
                                          " is damaged: " + entry.error().message);
    }
  }
  return opened;
}

Result<OpenedBundle> without_memory(const CatalogReader& catalog, std::uint32_t bundle) {
  try {
    return fail(ErrorCode::limit_exceeded,
                "no memory for bundle " + describe_bundle(catalog, bundle));
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::limit_exceeded, "out of memory");  // short enough to need none
  }
}

}  // namespace

// A bundle may have more in it than there is memory. On a thread of its own nobody would catch
// that.
Result<OpenedBundle> load_whole(const BundleSource& source, const CatalogReader& catalog,
                                std::uint32_t bundle, Decompressor& decompressor) {
  try {
    return open_and_read(source, catalog, bundle, decompressor);
  } catch (const std::bad_alloc&) {
    return without_memory(catalog, bundle);
  }
}

ThreadedLoads::ThreadedLoads(const BundleSource& source, const CatalogReader& catalog,
                             std::uint32_t threads)
    : source_(source), catalog_(catalog) {
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

void ThreadedLoads::start(std::uint32_t bundle) {
  {
    const std::lock_guard lock(mutex_);
    finished_.reserve(under_way_ + 1);  // here, because the other threads must not fail
    started_.push_back(bundle);
    ++under_way_;
  }
  started_signal_.notify_one();
}

void ThreadedLoads::collect(std::vector<FinishedLoad>& out) {
  const std::lock_guard lock(mutex_);
  under_way_ -= static_cast<std::uint32_t>(finished_.size());
  move_to(finished_, out);
}

std::uint32_t ThreadedLoads::parallel_loads() const {
  return static_cast<std::uint32_t>(2 * threads_.size());
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
    const std::uint32_t bundle = started_.front();
    started_.pop_front();
    lock.unlock();
    Result<OpenedBundle> result = load_whole(source_, catalog_, bundle, decompressor);
    lock.lock();
    finished_.push_back({bundle, std::move(result)});
    finished_signal_.notify_one();
  }
}

void SteppedLoads::collect(std::vector<FinishedLoad>& out) {
  while (!is_manual_ && !started_.empty()) step();
  move_to(finished_, out);
}

void SteppedLoads::wait() {
  if (finished_.empty() && !started_.empty()) step();
}

void SteppedLoads::step(std::size_t index) {
  assert(index < started_.size());
  const std::uint32_t bundle = started_[index];
  started_.erase(started_.begin() + static_cast<std::ptrdiff_t>(index));
  finished_.push_back({bundle, load_whole(source_, catalog_, bundle, decompressor_)});
}

}  // namespace muster
