// Threads that wait for work.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace muster {

/// A few threads that share the work passed to `run`. The threads exist as long as the pool. `run`
/// allocates nothing. Only one thread may call `run` at a time.
class WorkerPool {
 public:
  /// Uses `worker_count` threads, including the caller's thread, so 1 starts no thread. Throws
  /// std::system_error if the system cannot start a thread. Requires: `worker_count >= 1`.
  explicit WorkerPool(std::uint32_t worker_count);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  std::uint32_t worker_count() const { return static_cast<std::uint32_t>(threads_.size()) + 1; }

  /// Calls `work(index)` once for every index below `count`, on any of the threads, and returns
  /// when all calls have returned. `work` must not throw and must not call `run`.
  template <typename Work>
  void run(std::uint32_t count, Work& work) {
    run_erased(count, {&work, [](void* context, std::uint32_t index) {
                         (*static_cast<Work*>(context))(index);
                       }});
  }

 private:
  struct Job {
    void* context = nullptr;
    void (*call)(void* context, std::uint32_t index) = nullptr;
  };
  void run_erased(std::uint32_t count, Job job);
  void work_through();
  void wait_for_work();
  void stop();

  std::mutex mutex_;
  std::condition_variable work_is_there_;
  std::condition_variable work_is_done_;
  Job job_;
  std::uint32_t count_ = 0;
  std::uint32_t next_ = 0;
  std::uint32_t unfinished_ = 0;
  std::uint64_t round_ = 0;
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace muster
