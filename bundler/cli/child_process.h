// Another program, and pipes to it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster::cli {

/// Where the program's standard error goes.
enum class ChildErrors : std::uint8_t {
  ours,  ///< To our own.
  kept,  ///< Kept for `errors`.
};

/// A running program with pipes to its standard input and output. The program is looked for in PATH
/// and started without a shell. It ends at the end of its input, and waited for, at the
/// latest by the destructor.
class ChildProcess {
 public:
  /// Fails with `io`. A program that does not exist ends at once with code 127.
  static Result<ChildProcess> start(const std::vector<std::string>& arguments,
                                    ChildErrors errors = ChildErrors::ours);

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
  /// The program's standard input ends here.
  void close_input();
  /// The first kilobytes of its standard error, where that is kept.
  std::string errors() const;
  /// Closes the pipes and returns the exit code; 128 and more when a signal ended it.
  int wait();

 private:
  ChildProcess() = default;
  Result<bool> fill();  // false at the end

  pid_t process_ = -1;
  int input_ = -1;
  int output_ = -1;
  int errors_ = -1;  ///< A file in memory: no reader has to drain it in time.
  ByteVector buffer_;
  std::size_t begin_ = 0;  ///< What was read and not yet taken: `[begin_, end_)`.
  std::size_t end_ = 0;
};

}  // namespace muster::cli
