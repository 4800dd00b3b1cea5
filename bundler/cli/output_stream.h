// A standard output that stores the reason of a write error.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>

namespace muster::cli {

/// A stream that writes into a file descriptor and stores the reason of a write error.
/// `std::ostream` only records that an error occurred, and `errno` may change before the caller
/// reads it. Flush the stream before calling `error` or exiting. One thread may use the stream at a
/// time.
class OutputStream final : public std::ostream {
 public:
  explicit OutputStream(int descriptor);
  /// The `errno` of the first error, or 0. Output after an error is discarded.
  int error() const { return buffer_.error(); }

 private:
  class Buffer final : public std::streambuf {
   public:
    explicit Buffer(int descriptor);
    int error() const { return error_; }

   protected:
    int_type overflow(int_type next) override;
    int sync() override;

   private:
    int descriptor_;
    int error_ = 0;
    std::array<char, 32768> waiting_{};
  };

  Buffer buffer_;
};

}  // namespace muster::cli
