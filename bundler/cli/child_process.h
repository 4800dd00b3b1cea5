// Another program, and pipes to it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "registry/vocabulary/bytes.h"
#include "registry/vocabulary/result.h"

namespace muster::cli {

/// A running program with pipes to its standard input and output; its standard error is ours. The
/// program is looked for in PATH and started without a shell. It is told to end by the end of its
/// input, and waited for, at the latest by the destructor.
class ChildProcess {
 public:
  /// Fails with `io`. A program that does not exist ends at once with code 127.
  static Result<ChildProcess> start(const std::vector<std::string>& arguments);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) = delete;
  ~ChildProcess();

  Result<void> write(std::string_view text);
  /// Reads up to and without the next newline. Fails with `truncated` at the end.
  Result<std::string> read_line();
  /// Reads exactly this much. Fails with `truncated` at the end.
  Result<void> read_exactly(std::span<std::byte> to);
  /// Reads all that is left. Fails with `limit_exceeded`.
  Result<std::string> read_rest(std::size_t max_bytes);
  /// Closes the pipes and returns the exit code; 128 and more when a signal ended it.
  int wait();

 private:
  ChildProcess() = default;
  Result<bool> fill();  // false at the end

  pid_t process_ = -1;
  int input_ = -1;
  int output_ = -1;
  ByteVector buffer_;
  std::size_t begin_ = 0;  ///< What was read and not yet taken: `[begin_, end_)`.
  std::size_t end_ = 0;
};

}  // namespace muster::cli
