// Constructs the edges of the program: streams, clock, signals (what is on the disk: edges.cpp).
// Everything else is told.
#include <unistd.h>

#include <atomic>
#include <iostream>
#include <memory>
#include <stop_token>

#include "bundler/cli/interruption.h"
#include "bundler/cli/session.h"
#include "registry/vocabulary/mapping_guard.h"

int main(int argc, char** argv) {
  const std::stop_source stop;
  static std::atomic<bool> writing{false};  // outlives main: the watcher does
  muster::cli::watch_interruptions(stop, writing);
  const muster::MappingGuard mapping_guard;

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
