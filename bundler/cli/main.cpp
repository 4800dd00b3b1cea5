// Constructs the edges of the program: streams, clock, signals (what is on the disk: edges.cpp).
// Everything else is told.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <stop_token>
#include <thread>

#include "bundler/cli/session.h"
#include "registry/vocabulary/mapping_guard.h"

namespace {

// Waits for Ctrl-C in a thread of its own, because almost nothing may be done in a signal handler.
// While something is being written, the first asks the work to stop and clean up; otherwise, and
// the second time, the program ends at once. One request may come as several signals (`timeout`
// sends one to the program and one to its group): those of the first second are one.
void watch_signals(const sigset_t& signals, std::stop_source stop,
                   const std::atomic<bool>& writing) {
  int signal = 0;
  sigwait(&signals, &signal);
  stop.request_stop();
  if (writing.load()) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    const timespec step{0, 20'000'000};
    while (std::chrono::steady_clock::now() < end) sigtimedwait(&signals, nullptr, &step);
    sigwait(&signals, &signal);
  }
  std::_Exit(muster::cli::kUsage);
}

}  // namespace

int main(int argc, char** argv) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a write that fails, not our death
  const muster::MappingGuard mapping_guard;
  const std::stop_source stop;
  static std::atomic<bool> writing{false};  // outlives main: the watcher is detached
  std::thread(watch_signals, signals, stop, std::cref(writing)).detach();

  const muster::SteadyClock clock;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  std::unique_ptr<muster::Reporter> reporter;
  if (terminal) {
    reporter = std::make_unique<muster::TerminalReporter>(std::cerr, clock);
  } else {
    reporter = std::make_unique<muster::LineReporter>(std::cerr);
  }
  muster::cli::OutputStream out(STDOUT_FILENO);
  muster::cli::Session session{.out = out,
                               .err = std::cerr,
                               .color = isatty(STDOUT_FILENO) != 0,
                               .reporter = *reporter,
                               .clock = clock,
                               .stop = stop.get_token(),
                               .writing = writing};
  return muster::cli::run(argc, argv, session);
}
