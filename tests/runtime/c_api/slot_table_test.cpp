#include "runtime/c_api/slot_table.h"

#include <memory>
#include <set>

#include <catch2/catch.hpp>

namespace muster {
namespace {

TEST_CASE("A slot table finds its values, and nothing for other ids", "[runtime][c_api]") {
  SlotTable<int> table(8);
  const std::uint64_t first = table.add(10);
  const std::uint64_t second = table.add(20);
  REQUIRE(table.find(first) != nullptr);
  CHECK(*table.find(first) == 10);
  CHECK(*table.find(second) == 20);
  CHECK(table.find(0) == nullptr);
  CHECK(table.find(~std::uint64_t{0}) == nullptr);
  CHECK(table.find(first + 2) == nullptr);                          // an unused slot
  CHECK(table.find(first + (std::uint64_t{1} << 32U)) == nullptr);  // a later generation
  CHECK(table.size() == 2);
}

TEST_CASE("An id is never used twice", "[runtime][c_api]") {
  SlotTable<std::unique_ptr<int>> table(4);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t id = table.add(std::make_unique<int>(i));
    CHECK(id != 0);
    CHECK(seen.insert(id).second);
    CHECK(table.remove(id));
    CHECK_FALSE(table.remove(id));
    CHECK(table.find(id) == nullptr);
  }
  CHECK(table.size() == 0);
}

TEST_CASE("A slot table is full exactly at its limit", "[runtime][c_api]") {
  SlotTable<int> table(2);
  const std::uint64_t first = table.add(1);
  CHECK_FALSE(table.is_full());
  table.add(2);
  CHECK(table.is_full());
  CHECK(table.remove(first));
  CHECK_FALSE(table.is_full());
}

}  // namespace
}  // namespace muster
