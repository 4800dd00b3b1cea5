// Handles SIGINT (Ctrl-C) and SIGTERM.
#pragma once

#include <atomic>
#include <stop_token>

namespace muster::cli {

/// Installs handlers for SIGINT and SIGTERM, unless the program already ignores them. A handler
/// stores the signal in `received` and calls `request_stop` of `stop`. While `writing` is false, a
/// signal ends the program at once. A second signal, more than one second after the first, always
/// ends the program. Also ignores SIGPIPE, so that writing to a closed pipe fails instead of ending
/// the program. Requires: the function is called once, before any other thread starts, and
/// `writing` and `received` exist until the program ends.
void watch_interruptions(std::stop_source stop, std::atomic<bool>& writing,
                         std::atomic<int>& received);

/// Ends the program by `signal`, as if the signal had no handler. A shell that waits for the
/// program then also ends its loop or script.
[[noreturn]] void end_by_signal(int signal);

}  // namespace muster::cli
