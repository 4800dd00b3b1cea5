#include "registry/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace muster {

bool parallel_for(std::size_t count, unsigned jobs, const std::stop_token& stop,
                  const std::function<void(std::size_t index, unsigned worker)>& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::atomic<bool> has_failed{false};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto run = [&](unsigned worker) {
    try {
      while (!stop.stop_requested() && !has_failed.load(std::memory_order_relaxed)) {
        const std::size_t index = next.fetch_add(1, std::memory_order_relaxed);
        if (index >= count) return;
        work(index, worker);
        done.fetch_add(1, std::memory_order_relaxed);
      }
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      has_failed = true;
    }
  };
  const unsigned threads = static_cast<unsigned>(
      std::min<std::size_t>(std::max(jobs, 1U), std::max<std::size_t>(count, 1)));
  {
    std::vector<std::jthread> others;
    others.reserve(threads);
    try {
      for (unsigned worker = 1; worker < threads; ++worker) others.emplace_back(run, worker);
    } catch (const std::system_error&) {  // The system cannot start another thread.
    }
    run(0);
  }
  if (failure) std::rethrow_exception(failure);
  return done.load() == count;
}

unsigned processor_count() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace muster
