#include "tests/support/failing_allocations.h"

#include <cstdlib>
#include <new>

namespace muster {
namespace {

// This state must be global, because `operator new` is.
// NOLINTBEGIN(*-avoid-non-const-global-variables)
thread_local bool is_counting = false;
thread_local std::uint64_t counted = 0;
thread_local std::uint64_t until_failure = 0;
// NOLINTEND(*-avoid-non-const-global-variables)

void* allocate(std::size_t size) {
  if (is_counting) {
    ++counted;
    if (until_failure-- == 0) throw std::bad_alloc();
  }
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

FailingAllocations::FailingAllocations(std::uint64_t failing) {
  until_failure = failing;
  is_counting = true;
}
FailingAllocations::~FailingAllocations() { is_counting = false; }

std::uint64_t counted_allocations() { return counted; }

}  // namespace muster

void* operator new(std::size_t size) { return muster::allocate(size); }
void* operator new[](std::size_t size) { return muster::allocate(size); }
// The library's versions of these operators do not match the replaced `operator delete` below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
