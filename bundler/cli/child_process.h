// Runs another program with pipes to it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster::cli {

/// The target of the program's standard error.
enum class ChildErrors : std::uint8_t {
  ours,  ///< Our own standard error.
  kept,  ///< Kept for `errors`.
};

/// A running program with pipes to its standard input and output. The program is searched in PATH
/// and started without a shell. It must end when its input ends: the destructor closes the input
/// and waits for the program.
class ChildProcess {
 public:
  /// Fails with `io`. A missing program exits at once with code 127.
  static Result<ChildProcess> start(const std::vector<std::string>& arguments,
                                    ChildErrors errors = ChildErrors::ours);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) = delete;
  ~ChildProcess();

  Result<void> write(std::string_view text);
  /// Reads up to the next newline, without it. Fails with `truncated` at the end.
  Result<std::string> read_line();
  /// Reads exactly this many bytes. Fails with `truncated` at the end.
  Result<void> read_exactly(std::span<std::byte> to);
  /// Reads the rest. Fails with `limit_exceeded`.
  Result<std::string> read_rest(std::size_t max_bytes);
  /// Ends the program's standard input.
  void close_input();
  /// The first kilobytes of its standard error, if kept.
  std::string errors() const;
  /// Closes the pipes and returns the exit code; 128 or more if a signal ended it.
  int wait();

 private:
  ChildProcess() = default;
  Result<bool> fill();  // false at the end

  pid_t process_ = -1;
  int input_ = -1;
  int output_ = -1;
  int errors_ = -1;  ///< A file in memory, so that it need not be drained in time.
  ByteVector buffer_;
  std::size_t begin_ = 0;  ///< Unread part of the buffer: `[begin_, end_)`.
  std::size_t end_ = 0;
};

}  // namespace muster::cli
