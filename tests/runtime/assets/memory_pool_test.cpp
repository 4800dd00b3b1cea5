#include "runtime/assets/memory_pool.h"

#include <catch2/catch.hpp>

namespace muster {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20U;

TEST_CASE("A large buffer is used again, a small one is not kept", "[runtime][assets]") {
  MemoryPool pool;
  PooledMemory large = pool.take(kMegabyte);
  const std::byte* const place = large.bytes.get();
  pool.give_back(std::move(large));
  CHECK(pool.kept_bytes() == kMegabyte);
  // Much smaller needs do not take it, larger ones cannot.
  CHECK(pool.take(kMegabyte / 2).bytes.get() != place);
  CHECK(pool.take(kMegabyte + 1).bytes.get() != place);
  const PooledMemory again = pool.take(kMegabyte * 3 / 4);
  CHECK(again.bytes.get() == place);
  CHECK(again.capacity_bytes == kMegabyte);
  CHECK(pool.kept_bytes() == 0);
  pool.give_back(pool.take(1000));
  pool.give_back({});
  CHECK(pool.kept_bytes() == 0);
  CHECK(pool.take(0).capacity_bytes == 0);
}

TEST_CASE("What is kept has a bound", "[runtime][assets]") {
  MemoryPool pool;
  std::vector<PooledMemory> taken;
  for (int i = 0; i < 5; ++i) taken.push_back(pool.take(100 * kMegabyte));
  for (PooledMemory& memory : taken) {
    pool.give_back(std::move(memory));
    CHECK(pool.kept_bytes() <= MemoryPool::kMaxKeptBytes);
  }
  CHECK(pool.kept_bytes() == 200 * kMegabyte);
  pool.give_back({.bytes = nullptr, .capacity_bytes = MemoryPool::kMaxKeptBytes + 1});
  CHECK(pool.kept_bytes() == 200 * kMegabyte);
}

TEST_CASE("What is kept can be given back, the oldest first", "[runtime][assets]") {
  MemoryPool pool;
  PooledMemory older = pool.take(kMegabyte);
  PooledMemory newer = pool.take(2 * kMegabyte);
  const std::byte* const place = newer.bytes.get();
  pool.give_back(std::move(older));
  pool.give_back(std::move(newer));
  pool.shrink_to(3 * kMegabyte);
  CHECK(pool.kept_bytes() == 3 * kMegabyte);
  pool.shrink_to(3 * kMegabyte - 1);
  CHECK(pool.kept_bytes() == 2 * kMegabyte);
  CHECK(pool.take(2 * kMegabyte).bytes.get() == place);
  pool.shrink_to(0);
  CHECK(pool.kept_bytes() == 0);
}

}  // namespace
}  // namespace muster
