// Handles Ctrl-C and equivalent signals.
#pragma once

#include <atomic>
#include <stop_token>

namespace muster::cli {

/// From now on SIGINT and SIGTERM request a stop of `stop` and are stored in `received`, unless the
/// program already ignores them. While `writing` is false, the signal ends the program at once. A
/// second signal, more than a second after the first, always ends the program. Writing to a closed
/// pipe fails instead of ending the program. Requires: called once, before any other thread starts;
/// `writing` and `received` live as long as the program.
void watch_interruptions(std::stop_source stop, std::atomic<bool>& writing,
                         std::atomic<int>& received);

/// Ends the program by `signal`, like a program without a handler, so that a waiting shell ends its
/// loop or script.
[[noreturn]] void end_by_signal(int signal);

}  // namespace muster::cli
