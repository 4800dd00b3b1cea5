// Threads take indices under the mutex. Each index is a whole system, which runs for some
// microseconds. So a lock-free queue would save little time and be harder to verify.
#include "runtime/world/worker_pool.h"

#include <cassert>

namespace muster {

WorkerPool::WorkerPool(std::uint32_t worker_count) {
  assert(worker_count >= 1);
  threads_.reserve(worker_count - 1);
  try {
    for (std::uint32_t i = 1; i < worker_count; ++i) {
      threads_.emplace_back([this] { wait_for_work(); });
    }
  } catch (...) {
    stop();  // Stops the threads that were started, because a running thread must not be destroyed.
    throw;
  }
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  work_is_there_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run_erased(std::uint32_t count, Job job) {
  if (count == 0) return;
  if (threads_.empty() || count == 1) {
    for (std::uint32_t i = 0; i < count; ++i) job.call(job.context, i);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    job_ = job;
    count_ = count;
    next_ = 0;
    unfinished_ = count;
    ++round_;
  }
  work_is_there_.notify_all();
  work_through();
  std::unique_lock lock(mutex_);
  work_is_done_.wait(lock, [this] { return unfinished_ == 0; });
}

void WorkerPool::work_through() {
  std::unique_lock lock(mutex_);
  while (next_ < count_) {
    const std::uint32_t index = next_++;
    const Job job = job_;
    lock.unlock();
    job.call(job.context, index);
    lock.lock();
    if (--unfinished_ == 0) work_is_done_.notify_one();
  }
}

void WorkerPool::wait_for_work() {
  std::uint64_t seen = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      work_is_there_.wait(lock, [&] { return is_stopping_ || round_ != seen; });
      if (is_stopping_) return;
      seen = round_;
    }
    work_through();
  }
}

}  // namespace muster
