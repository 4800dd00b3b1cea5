// Constructs the connections of the program to its environment: streams, clock and signals. All
// other code receives them as arguments. edges.cpp constructs the connections to the disk.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stop_token>
#include <string_view>

#include "bundler/cli/interruption.h"
#include "bundler/cli/session.h"
#include "registry/base/mapping_guard.h"

int main(int argc, char** argv) {
  const std::stop_source stop;
  // These variables are static, because the thread that waits for signals outlives `main`.
  static std::atomic<bool> writing{false};
  static std::atomic<int> received{0};
  muster::cli::watch_interruptions(stop, writing, received);
  const muster::MappingGuard mapping_guard;

  const muster::SteadyClock clock;
  // Colours and progress are printed only to terminals that support them (https://no-color.org).
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  const char* const kind = std::getenv("TERM");
  const bool is_dumb = kind != nullptr && std::string_view(kind) == "dumb";
  const bool terminal = isatty(STDERR_FILENO) != 0 && !is_dumb;
  std::unique_ptr<muster::Reporter> reporter;
  if (terminal) {
    reporter = std::make_unique<muster::TerminalReporter>(std::cerr, clock);
  } else {
    reporter = std::make_unique<muster::LineReporter>(std::cerr);
  }
  muster::SwitchedReporter switched(*reporter);
  muster::cli::OutputStream out(STDOUT_FILENO);
  muster::cli::Session session{
      .out = out,
      .err = std::cerr,
      .color = isatty(STDOUT_FILENO) != 0 && !is_dumb && !is_set("NO_COLOR"),
      .reporter = switched,
      .clock = clock,
      .stop = stop.get_token(),
      .writing = writing};
  const int code = muster::cli::run(argc, argv, session);
  // After a signal and the cleanup, the program ends by the same signal. So its parent process (for
  // example a loop of a shell, or make) also stops.
  if (received != 0 && code != muster::cli::kInternal) muster::cli::end_by_signal(received);
  return code;
}
