// Lets the n-th allocation of a program fail. Link `failing_allocations.cpp` to use it: that
// replaces the global `operator new`.
#pragma once

#include <cstdint>

namespace muster {

/// While one lives, allocations of this thread are counted, and the one with the given number,
/// counted from 0, throws `std::bad_alloc`.
class FailingAllocations {
 public:
  explicit FailingAllocations(std::uint64_t failing);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
};

/// How many allocations were counted since the program began.
std::uint64_t counted_allocations();

}  // namespace muster
