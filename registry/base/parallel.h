// Processes a range of indices on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

namespace muster {

/// Calls `work(index, worker)` once for every index below `count`, on up to `jobs` threads
/// including the caller's. `worker < jobs` identifies the thread, so that each thread can have its
/// own buffer. The calls start in ascending order of indices but end in any order. Write each
/// result to an element for its index, so that the outcome does not depend on `jobs`. Returns false
/// if `stop` was requested before all calls were done. If `work` throws an exception, the other
/// threads stop and the exception is rethrown; only `bad_alloc` is expected. If the system cannot
/// start `jobs` threads, fewer threads do the work.
bool parallel_for(std::size_t count, unsigned jobs, const std::stop_token& stop,
                  const std::function<void(std::size_t index, unsigned worker)>& work);

/// The number of processors that this process may use; at least 1.
unsigned processor_count();

}  // namespace muster
