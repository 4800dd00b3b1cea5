// Runs code in a child process, for code that ends its process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace muster {

/// How a child process ended.
struct ChildEnd {
  int exit_code = -1;  ///< -1 if a signal ended the process.
  int signal = 0;      ///< 0 if the process exited.
};

/// Runs `body` in a copy of this process, which exits with the result of `body`. Requires: this
/// process has no other threads.
template <typename Body>
ChildEnd run_in_child(Body body) {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) ::_exit(body());
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw std::runtime_error("cannot wait");
  ChildEnd end;
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

}  // namespace muster
