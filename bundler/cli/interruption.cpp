// A separate thread waits for the signals, because a signal handler may call only few functions.
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

// One request may be several signals (`timeout` sends one to the program and one to its group):
// those of the first second count as one.
constexpr timespec kStep{0, 20'000'000};
constexpr int kStepsOfOneRequest = 50;

void wait_for_signals(const sigset_t& signals, const std::stop_source& stop,
                      std::atomic<bool>& writing, std::atomic<int>& received) {
  int signal = 0;
  sigwait(&signals, &signal);
  received = signal;
  stop.request_stop();
  bool is_writing = false;
  writing.compare_exchange_strong(is_writing, false);  // not just a load: see `begin_writing`
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
  std::_Exit(128 + signal);  // as a shell would report it
}

void watch_interruptions(std::stop_source stop, std::atomic<bool>& writing,
                         std::atomic<int>& received) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) {
    // A parent that started us with a signal ignored (a shell does that for background jobs)
    // expects it to stay ignored.
    struct sigaction present {};
    if (sigaction(signal, nullptr, &present) == 0 && present.sa_handler == SIG_IGN) continue;
    sigaddset(&signals, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is a write error
  try {
    std::thread(wait_for_signals, signals, std::move(stop), std::ref(writing), std::ref(received))
        .detach();
  } catch (const std::system_error&) {
    // Without memory for a thread, a signal ends the program as usual.
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  }
}

}  // namespace muster::cli
