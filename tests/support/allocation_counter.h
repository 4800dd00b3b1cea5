// How many times the program has asked for memory. Link `allocation_counter.cpp` to use it: that
// replaces the global `operator new`.
#pragma once

#include <cstdint>

namespace muster {

/// Allocations of this thread since it began.
std::uint64_t allocation_count();

}  // namespace muster
