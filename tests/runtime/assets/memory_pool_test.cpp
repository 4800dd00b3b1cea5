#include "runtime/assets/memory_pool.h"

#include <algorithm>

#include <catch2/catch.hpp>

namespace muster {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20U;

TEST_CASE("A large buffer is reused, and a tiny buffer is not kept", "[runtime][assets]") {
  MemoryPool pool;
  PooledMemory large = pool.allocate(kMegabyte);
  const std::byte* const address = large.bytes.get();
  pool.give_back(std::move(large));
  CHECK(pool.kept_bytes() == kMegabyte);
  // Much smaller requests do not use the buffer, and larger requests cannot use it.
  CHECK(pool.allocate(kMegabyte / 2).bytes.get() != address);
  CHECK(pool.allocate(kMegabyte + 1).bytes.get() != address);
  const PooledMemory again = pool.allocate(kMegabyte * 3 / 4);
  CHECK(again.bytes.get() == address);
  CHECK(again.capacity_bytes == kMegabyte);
  CHECK(pool.kept_bytes() == 0);
  pool.give_back(pool.allocate(1000));
  pool.give_back({});
  CHECK(pool.kept_bytes() == 0);
  CHECK(pool.allocate(0).capacity_bytes == 0);
}

TEST_CASE("The smallest of the fitting large buffers is reused", "[runtime][assets]") {
  // A second load finds all of its buffers, in any order.
  const std::vector<std::size_t> sizes = {5, 7, 4, 6, 5};
  MemoryPool pool;
  std::vector<PooledMemory> allocated;
  for (const std::size_t size : sizes) allocated.push_back(pool.allocate(size * kMegabyte));
  const std::byte* const last_of_five = allocated.back().bytes.get();
  for (PooledMemory& memory : allocated) pool.give_back(std::move(memory));
  allocated.clear();
  for (const std::size_t size : sizes) {
    CAPTURE(size);
    allocated.push_back(pool.allocate(size * kMegabyte));
    CHECK(allocated.back().capacity_bytes == size * kMegabyte);
  }
  // If several buffers have equal size, the pool returns the most recently used buffer.
  CHECK(allocated.front().bytes.get() == last_of_five);
  CHECK(pool.kept_bytes() == 0);
}

TEST_CASE("Small buffers are reused only for sizes that are about equal", "[runtime][assets]") {
  // All small sizes, and a few large sizes.
  for (std::size_t size = MemoryPool::kMinPooledBytes; size < 70'000; ++size) {
    MemoryPool pool;
    PooledMemory memory = pool.allocate(size);
    const std::byte* const address = memory.bytes.get();
    const std::size_t capacity = memory.capacity_bytes;
    if (capacity < size || capacity > size + size / 8 + 1) FAIL(size << " got " << capacity);
    pool.give_back(std::move(memory));
    if (pool.kept_bytes() != capacity) FAIL(size << " is not kept");
    PooledMemory again = pool.allocate(size);
    if (again.bytes.get() != address || pool.kept_bytes() != 0) FAIL(size << " is not used again");
    pool.give_back(std::move(again));
    if (pool.allocate(capacity + 1).bytes.get() == address) FAIL(size << " is used for more");
  }
}

TEST_CASE("Small buffers are reused in the order in which they were returned",
          "[runtime][assets]") {
  // The buffers of a level are consecutive in memory, and writing in that order is faster.
  MemoryPool pool;
  std::vector<PooledMemory> allocated;
  std::vector<const std::byte*> addresses;
  for (std::size_t i = 0; i < 11; ++i) {
    allocated.push_back(pool.allocate(3000));
    addresses.push_back(allocated.back().bytes.get());
  }
  // Some buffers are reused before more are returned, so that the queue wraps when it grows.
  for (std::size_t i = 0; i < 4; ++i) pool.give_back(std::move(allocated[i]));
  for (std::size_t i = 0; i < 3; ++i) {
    allocated[i] = pool.allocate(3000);
    CHECK(allocated[i].bytes.get() == addresses[i]);
  }
  for (std::size_t i = 4; i < 11; ++i) pool.give_back(std::move(allocated[i]));
  for (std::size_t i = 0; i < 3; ++i) pool.give_back(std::move(allocated[i]));
  std::rotate(addresses.begin(), addresses.begin() + 3, addresses.end());
  std::vector<const std::byte*> again;
  for (PooledMemory& memory : allocated) {
    memory = pool.allocate(3000);
    again.push_back(memory.bytes.get());
  }
  CHECK(again == addresses);
  CHECK(pool.kept_bytes() == 0);
}

TEST_CASE("Small buffers are freed if freeing the large buffers is not enough",
          "[runtime][assets]") {
  MemoryPool pool;
  std::vector<PooledMemory> allocated;
  for (int i = 0; i < 10; ++i) allocated.push_back(pool.allocate(2048));
  allocated.push_back(pool.allocate(kMegabyte));
  for (PooledMemory& memory : allocated) pool.give_back(std::move(memory));
  CHECK(pool.kept_bytes() == kMegabyte + 20480);
  pool.shrink_to(kMegabyte);
  CHECK(pool.kept_bytes() == 20480);
  pool.shrink_to(5000);
  CHECK(pool.kept_bytes() == 4096);
  pool.shrink_to(0);
  CHECK(pool.kept_bytes() == 0);
}

TEST_CASE("The memory that a pool keeps has a limit", "[runtime][assets]") {
  MemoryPool pool;
  std::vector<PooledMemory> allocated;
  for (int i = 0; i < 5; ++i) allocated.push_back(pool.allocate(100 * kMegabyte));
  for (PooledMemory& memory : allocated) {
    pool.give_back(std::move(memory));
    CHECK(pool.kept_bytes() <= MemoryPool::kMaxKeptBytes);
  }
  CHECK(pool.kept_bytes() == 200 * kMegabyte);
  pool.give_back({.bytes = nullptr, .capacity_bytes = MemoryPool::kMaxKeptBytes + 1});
  CHECK(pool.kept_bytes() == 200 * kMegabyte);
}

TEST_CASE("Kept buffers can be freed, the oldest first", "[runtime][assets]") {
  MemoryPool pool;
  PooledMemory older = pool.allocate(kMegabyte);
  PooledMemory newer = pool.allocate(2 * kMegabyte);
  const std::byte* const address = newer.bytes.get();
  pool.give_back(std::move(older));
  pool.give_back(std::move(newer));
  pool.shrink_to(3 * kMegabyte);
  CHECK(pool.kept_bytes() == 3 * kMegabyte);
  pool.shrink_to(3 * kMegabyte - 1);
  CHECK(pool.kept_bytes() == 2 * kMegabyte);
  CHECK(pool.allocate(2 * kMegabyte).bytes.get() == address);
  pool.shrink_to(0);
  CHECK(pool.kept_bytes() == 0);
}

}  // namespace
}  // namespace muster
