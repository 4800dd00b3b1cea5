// Ctrl-C, and the requests to end that mean the same.
#pragma once

#include <atomic>
#include <stop_token>

namespace muster::cli {

/// From now on SIGINT and SIGTERM ask `stop` to stop, unless they are ignored already, and are
/// stored in `received`. The program ends at once, by the signal, while `writing` is false, and at
/// the second request in any case. A closed pipe is a write that fails from now on, not our death.
/// Requires: called once, before any other thread starts; `writing` and `received` live as long as
/// the program.
void watch_interruptions(std::stop_source stop, std::atomic<bool>& writing,
                         std::atomic<int>& received);

/// Ends the program as `signal` ends a program without a handler: a shell that waits for it sees
/// that, and ends its loop or script.
[[noreturn]] void end_by_signal(int signal);

}  // namespace muster::cli
