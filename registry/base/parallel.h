// Processes a range on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

namespace muster {

/// Calls `work(index, worker)` once for every index below `count`, on up to `jobs` threads
/// including the caller's. `worker < jobs` identifies the thread, so that each can have its own
/// buffer. Indices start in ascending order but finish in any order; write each result to a slot
/// for its index, so that the outcome does not depend on `jobs`. Returns false if `stop` was
/// requested before all indices were done. An exception of `work` (only `bad_alloc` is expected)
/// stops the other threads and is rethrown here. If the system cannot start `jobs` threads, fewer
/// threads do the work.
bool parallel_for(std::size_t count, unsigned jobs, const std::stop_token& stop,
                  const std::function<void(std::size_t index, unsigned worker)>& work);

/// The number of processors that this process may use, at least one.
unsigned processor_count();

}  // namespace muster
