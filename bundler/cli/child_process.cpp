#include "bundler/cli/child_process.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigprocmask is POSIX, not C++.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace muster::cli {
namespace {

constexpr std::size_t kBufferBytes = 1U << 16U;
constexpr int kNotStarted = 127;  // The exit code of shells for a missing program.

void close_all(std::initializer_list<int> files) {
  for (const int file : files) {
    if (file >= 0) ::close(file);
  }
}

tl::unexpected<Error> failure(const std::string& what) {
  return fail(ErrorCode::io, what + ": " + std::strerror(errno));
}

// Runs in the child between fork and exec, so it must not allocate memory or take a lock.
[[noreturn]] void become(char* const* arguments, int input, int output, int errors) {
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  if (errors >= 0) ::dup2(errors, STDERR_FILENO);
  // Also closes the pipes to other child processes. If this child kept the pipes open, the input of
  // the other child processes would never end.
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  // This program blocks signals and reads them in a thread. The child unblocks the signals, so that
  // a signal of the terminal ends the child.
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::execvp(arguments[0], arguments);
  ::_exit(kNotStarted);
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& arguments,
                                         ChildErrors errors) {
  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers;
  pointers.reserve(copies.size() + 1);
  for (std::string& argument : copies) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  std::array<int, 2> to{-1, -1};
  std::array<int, 2> from{-1, -1};
  if (::pipe(to.data()) != 0) return failure("cannot open a pipe to '" + arguments.front() + "'");
  if (::pipe(from.data()) != 0) {
    const auto failed = failure("cannot open a pipe from '" + arguments.front() + "'");
    close_all({to[0], to[1]});
    return failed;
  }
  const int kept = errors == ChildErrors::kept ? ::memfd_create("errors", MFD_CLOEXEC) : -1;
  const pid_t process = ::fork();
  if (process == 0) {
    become(pointers.data(), to[0], from[1], kept);
  }
  const auto failed = failure("cannot start '" + arguments.front() + "'");
  close_all({to[0], from[1]});
  if (process < 0) {
    close_all({to[1], from[0], kept});
    return failed;
  }
  ChildProcess child;
  child.process_ = process;
  child.input_ = to[1];
  child.output_ = from[0];
  child.errors_ = kept;
  child.buffer_.resize(kBufferBytes);
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      errors_(std::exchange(other.errors_, -1)),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      end_(other.end_) {}

ChildProcess::~ChildProcess() {
  (void)wait();
  close_all({errors_});
}

void ChildProcess::close_input() { close_all({std::exchange(input_, -1)}); }

std::string ChildProcess::errors() const {
  constexpr std::size_t kErrorBytesMax = 4096;
  std::string text(kErrorBytesMax, '\0');
  const ssize_t got = errors_ < 0 ? 0 : ::pread(errors_, text.data(), text.size(), 0);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

Result<void> ChildProcess::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(input_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure("cannot write to another program");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<bool> ChildProcess::fill() {
  while (true) {
    const ssize_t got = ::read(output_, buffer_.data(), buffer_.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("cannot read from another program");
    begin_ = 0;
    end_ = static_cast<std::size_t>(got);
    return got > 0;
  }
}

Result<std::string> ChildProcess::read_line() {
  std::string line;
  while (true) {
    for (; begin_ < end_; ++begin_) {
      const char c = static_cast<char>(buffer_[begin_]);
      if (c == '\n') {
        ++begin_;
        return line;
      }
      line += c;
    }
    const auto more = fill();
    if (!more) return fail(more.error());
    if (!more.value()) return fail(ErrorCode::truncated, "another program ended early");
  }
}

Result<void> ChildProcess::read_exactly(std::span<std::byte> to) {
  while (!to.empty()) {
    if (begin_ == end_) {
      const auto more = fill();
      if (!more) return fail(more.error());
      if (!more.value()) return fail(ErrorCode::truncated, "another program ended early");
    }
    const std::size_t part = std::min(to.size(), end_ - begin_);
    std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), part, to.begin());
    begin_ += part;
    to = to.subspan(part);
  }
  return {};
}

Result<std::string> ChildProcess::read_to_end(std::size_t max_bytes) {
  std::string text;
  while (true) {
    text += as_text(Bytes(buffer_).subspan(begin_, end_ - begin_));
    if (text.size() > max_bytes) {
      return fail(ErrorCode::limit_exceeded, "another program wrote more output than is accepted");
    }
    const auto more = fill();
    if (!more) return fail(more.error());
    if (!more.value()) return text;
  }
}

int ChildProcess::wait() {
  close_all({std::exchange(input_, -1), std::exchange(output_, -1)});
  if (process_ < 0) return kNotStarted;
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace muster::cli
