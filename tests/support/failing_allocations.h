// Makes the n-th allocation of a program fail. To use it, link `failing_allocations.cpp`, which
// replaces the global `operator new`.
#pragma once

#include <cstdint>

namespace muster {

/// While an object of this class exists, the allocations of this thread are counted from 0. The
/// allocation with the given number throws `std::bad_alloc`.
class FailingAllocations {
 public:
  explicit FailingAllocations(std::uint64_t failing);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
};

/// The number of allocations counted since the program started.
std::uint64_t counted_allocations();

}  // namespace muster
