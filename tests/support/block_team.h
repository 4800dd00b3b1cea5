// Threads that only help to decompress shared blocks.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/assets/shared_blocks.h"

namespace muster::samples {

/// A team of helping threads. A helper holds an object of type `Beside` while it decompresses a
/// block.
template <typename Beside>
class BlockTeam {
 public:
  explicit BlockTeam(std::size_t helpers) {
    for (std::size_t i = 0; i < helpers; ++i) threads_.emplace_back([this] { work(); });
  }
  ~BlockTeam() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    signal_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  BlockTeam(const BlockTeam&) = delete;
  BlockTeam& operator=(const BlockTeam&) = delete;

  SharedBlocks& shared() { return shared_; }
  /// The number of blocks that were decompressed by helpers instead of the caller of `read`.
  std::uint64_t helped() {
    const std::lock_guard lock(mutex_);
    return helped_;
  }

 private:
  void work() {
    Decompressor decompressor;
    SharedBlocks::Lock lock(mutex_);
    while (true) {
      signal_.wait(lock, [this] { return is_over_ || shared_.has_block(); });
      if (is_over_) return;
      {
        [[maybe_unused]] const Beside beside;
        shared_.help(lock, decompressor);
      }
      ++helped_;
    }
  }

  std::mutex mutex_;
  std::condition_variable signal_;
  SharedBlocks shared_{mutex_, signal_, 1};
  std::uint64_t helped_ = 0;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace muster::samples
