// Ctrl-C, and the requests to end that mean the same.
#pragma once

#include <atomic>
#include <stop_token>

namespace muster::cli {

/// From now on SIGINT and SIGTERM ask `stop` to stop, unless they are ignored already. The program
/// ends at once (exit code kUsage) while `writing` is false, and at the second request in any case.
/// A closed pipe is a write that fails from now on, not our death. Requires: called once, before
/// any other thread starts; `writing` lives as long as the program.
void watch_interruptions(std::stop_source stop, std::atomic<bool>& writing);

}  // namespace muster::cli
