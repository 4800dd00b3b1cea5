// Runs another program, with pipes to its standard input and output.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster::cli {

/// The destination of the program's standard error.
enum class ChildErrors : std::uint8_t {
  ours,  ///< The standard error of this program.
  kept,  ///< A buffer that `errors` returns.
};

/// A running program with pipes to its standard input and output. The program is searched in PATH
/// and started without a shell. The program must end when its input ends, because the destructor
/// closes the input and waits for the program.
class ChildProcess {
 public:
  /// Starts a program. Fails with `io`. If the program does not exist, `wait` returns 127.
  static Result<ChildProcess> start(const std::vector<std::string>& arguments,
                                    ChildErrors errors = ChildErrors::ours);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) = delete;
  ~ChildProcess();

  Result<void> write(std::string_view text);
  /// Reads a line and returns it without its newline. Fails with `truncated` at the end of the
  /// output.
  Result<std::string> read_line();
  /// Fills `to`. Fails with `truncated` if the output ends before `to` is full.
  Result<void> read_exactly(std::span<std::byte> to);
  /// Reads the remaining output. Fails with `limit_exceeded` if there are more than `max_bytes`.
  Result<std::string> read_to_end(std::size_t max_bytes);
  /// Ends the program's standard input.
  void close_input();
  /// The first kilobytes of the program's standard error, for `ChildErrors::kept`.
  std::string errors() const;
  /// Closes the pipes, waits for the program and returns its exit code. The result is 128 or more
  /// if a signal ended the program.
  int wait();

 private:
  ChildProcess() = default;
  // Returns false at the end of the output.
  Result<bool> fill();

  pid_t process_ = -1;
  int input_ = -1;
  int output_ = -1;
  /// A file in memory. Unlike a pipe, the file cannot become full and block the program.
  int errors_ = -1;
  ByteVector buffer_;
  /// The start of the unread part of the buffer, which is `[begin_, end_)`.
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace muster::cli
