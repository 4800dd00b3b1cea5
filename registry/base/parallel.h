// Work over a range on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

namespace muster {

/// Calls `work(index, worker)` once for every index below `count`, on up to `jobs` threads (the
/// caller's among them); `worker < jobs` names the thread, so that it can have a buffer of its own.
/// Indices are taken in ascending order but finish in any; results belong into a slot per index, so
/// that the outcome does not depend on `jobs`. Returns false when `stop` was requested before all
/// were done. What `work` throws (it should be nothing but a want of memory) ends the others and is
/// thrown again here. Where the system gives no more threads, fewer do the work.
bool parallel_for(std::size_t count, unsigned jobs, const std::stop_token& stop,
                  const std::function<void(std::size_t index, unsigned worker)>& work);

/// The number of processors that this process may use, at least one.
unsigned processor_count();

}  // namespace muster
