// Counts memory allocations. To use it, link `allocation_counter.cpp`, which replaces the global
// `operator new`.
#pragma once

#include <cstdint>

namespace muster {

/// The number of allocations of this thread since it started.
std::uint64_t allocation_count();

}  // namespace muster
