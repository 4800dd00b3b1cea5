#include "tests/support/allocation_counter.h"

#include <cstdlib>
#include <new>

namespace muster {
namespace {

// The counter must be global, because `operator new` is.
thread_local std::uint64_t allocations = 0;  // NOLINT(*-avoid-non-const-global-variables)

void* allocate_or_null(std::size_t size) {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}

void* allocate(std::size_t size) {
  void* const memory = allocate_or_null(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* allocate_aligned(std::size_t size, std::size_t alignment) {
  ++allocations;
  // aligned_alloc requires a multiple of the alignment.
  void* const memory = std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

std::uint64_t allocation_count() { return allocations; }

}  // namespace muster

void* operator new(std::size_t size) { return muster::allocate(size); }
void* operator new[](std::size_t size) { return muster::allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return muster::allocate_aligned(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return muster::allocate_aligned(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return muster::allocate_or_null(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return muster::allocate_or_null(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
