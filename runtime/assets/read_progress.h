// The progress of reading a file with several operations.
#pragma once

#include <cassert>
#include <cerrno>
#include <cstddef>

namespace muster {

/// Interprets the results of the operations that read a file. An operation can end early, and the
/// kernel can delay it. This class does not read files itself.
class ReadProgress {
 public:
  enum class Step { read_again, whole, cut_short, failed };

  /// The maximum number of consecutive delays of a file. The kernel delays an operation when it has
  /// too little memory or too few queue entries. Because of this limit, a disk that always delays
  /// cannot block the game forever.
  static constexpr int kMaxDelays = 1'000;

  ReadProgress() = default;
  explicit ReadProgress(std::size_t size_bytes) : size_bytes_(size_bytes) {}

  std::size_t done_bytes() const { return done_bytes_; }

  /// Applies the result of an operation that was started to read all missing bytes of the file.
  /// `result` is the number of bytes read, or a negative `errno`. Requires: `result` is at most the
  /// number of missing bytes.
  Step add(int result) {
    if (result == -EINTR || result == -EAGAIN) {
      return ++delays_ > kMaxDelays ? Step::failed : Step::read_again;
    }
    if (result < 0) return Step::failed;
    if (result == 0) return Step::cut_short;
    assert(static_cast<std::size_t>(result) <= size_bytes_ - done_bytes_);
    done_bytes_ += static_cast<std::size_t>(result);
    delays_ = 0;
    return done_bytes_ == size_bytes_ ? Step::whole : Step::read_again;
  }

 private:
  std::size_t size_bytes_ = 0;
  std::size_t done_bytes_ = 0;
  int delays_ = 0;
};

}  // namespace muster
