// What must end a process is tried in a child of the test.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace muster {

/// How a child ended.
struct ChildEnd {
  int exit_code = -1;  ///< -1 when a signal ended it.
  int signal = 0;      ///< 0 when it exited.
};

/// Runs `body` in a copy of this process; it exits with the number that `body` returns. Requires:
/// no other threads.
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
