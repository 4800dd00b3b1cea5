// How far the reading of a file has come that takes several operations.
#pragma once

#include <cassert>
#include <cerrno>
#include <cstddef>

namespace muster {

/// A file that is read by operations which may end short, or be put off by the kernel: what each
/// result means. Knows nothing of who reads.
class ReadProgress {
 public:
  enum class Step { ask_again, whole, cut_short, failed };

  /// How often in a row the kernel may put off the same file. It does that for want of memory or
  /// places in a queue; a disk that never answers otherwise must not hold the game up for ever.
  static constexpr int kMaxDelays = 1'000;

  ReadProgress() = default;
  explicit ReadProgress(std::size_t size_bytes) : size_bytes_(size_bytes) {}

  std::size_t done_bytes() const { return done_bytes_; }

  /// Takes in what an operation for the rest of the file returned: bytes read, or a negative
  /// `errno`, which is the failure's cause. Requires: no more bytes than the rest has.
  Step take_in(int result) {
    if (result == -EINTR || result == -EAGAIN) {
      return ++delays_ > kMaxDelays ? Step::failed : Step::ask_again;
    }
    if (result < 0) return Step::failed;
    if (result == 0) return Step::cut_short;
    assert(static_cast<std::size_t>(result) <= size_bytes_ - done_bytes_);
    done_bytes_ += static_cast<std::size_t>(result);
    delays_ = 0;
    return done_bytes_ == size_bytes_ ? Step::whole : Step::ask_again;
  }

 private:
  std::size_t size_bytes_ = 0;
  std::size_t done_bytes_ = 0;
  int delays_ = 0;
};

}  // namespace muster
