// Standard output, with the reason when it fails.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>

namespace muster::cli {

/// A stream into a descriptor that remembers why writing failed: `std::ostream` only knows that it
/// did, and by then `errno` may be another's. Flush it before you ask or leave. For one thread.
class OutputStream final : public std::ostream {
 public:
  explicit OutputStream(int descriptor);
  /// The `errno` of the first failure, or 0. What is written after a failure is thrown away.
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
