// A separate thread waits for signals, because a signal handler may call only a few functions.
#include "bundler/cli/interruption.h"

#include <csignal>
#include <cstdlib>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>

#include "bundler/cli/session.h"

namespace muster::cli {
namespace {

// All signals within one second count as one request, because a single request can send several
// signals. For example, `timeout` sends one signal to the program and one to its process group.
constexpr timespec kStep{0, 20'000'000};
constexpr int kStepsOfOneRequest = 50;

void wait_for_signals(const sigset_t& signals, const std::stop_source& stop,
                      std::atomic<bool>& writing, std::atomic<int>& received) {
  int signal = 0;
  sigwait(&signals, &signal);
  received = signal;
  stop.request_stop();
  bool is_writing = false;
  writing.compare_exchange_strong(
      is_writing, false);  // An exchange is needed instead of a load; see `begin_writing`.
  if (is_writing) {
    for (int i = 0; i < kStepsOfOneRequest; ++i) sigtimedwait(&signals, nullptr, &kStep);
    sigwait(&signals, &signal);
  }
  end_by_signal(signal);
}

}  // namespace

void end_by_signal(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  std::raise(signal);
  std::_Exit(128 + signal);  // This is the exit code that a shell would report.
}

void watch_interruptions(std::stop_source stop, std::atomic<bool>& writing,
                         std::atomic<int>& received) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) {
    // If the parent process started this program with a signal ignored, as a shell does for
    // background jobs, the signal must stay ignored.
    struct sigaction present {};
    if (sigaction(signal, nullptr, &present) == 0 && present.sa_handler == SIG_IGN) continue;
    sigaddset(&signals, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // A write above the file size limit then fails with an error.
  try {
    std::thread(wait_for_signals, signals, std::move(stop), std::ref(writing), std::ref(received))
        .detach();
  } catch (const std::system_error&) {
    // If the thread cannot be started, a signal ends the program at once, which is the default
    // action.
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  }
}

}  // namespace muster::cli
