#include <map>
#include <numeric>

#include <catch2/catch.hpp>

#include "net/replication/interest.h"
#include "registry/base/seed.h"
#include "tests/support/replication_stage.h"

namespace muster {
namespace {

/// An item that counts the copies of items.
struct CountedItem {
  std::uint32_t id = 0;
  std::uint32_t value = 0;
  static std::uint64_t written;

  CountedItem() = default;
  CountedItem(std::uint32_t the_id, std::uint32_t the_value) : id(the_id), value(the_value) {}
  CountedItem(const CountedItem& other) : id(other.id), value(other.value) { ++written; }
  CountedItem& operator=(const CountedItem& other) {
    id = other.id;
    value = other.value;
    ++written;
    return *this;
  }
};
std::uint64_t CountedItem::written = 0;

/// Ids in rising, falling, or shuffled order.
std::vector<std::uint32_t> ids_in(int order, std::size_t count) {
  std::vector<std::uint32_t> ids(count);
  std::iota(ids.begin(), ids.end(), 1U);
  if (order == 1) std::ranges::reverse(ids);
  if (order != 2) return ids;
  Random random(5);
  for (std::size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[random.below(i)]);
  return ids;
}

}  // namespace

TEST_CASE("Sorted blocks contain what a map contains after any changes", "[net][replication]") {
  Random random(4);
  for (int round = 0; round < 20; ++round) {
    SortedBlocks<CountedItem> blocks;
    std::map<std::uint32_t, std::uint32_t> map;
    const std::uint64_t range = 1 + random.below(2'000);
    const std::uint64_t steps = random.below(4'000);
    for (std::uint64_t step = 0; step < steps; ++step) {
      const auto id = static_cast<std::uint32_t>(random.below(range));
      if (map.erase(id) > 0) {
        blocks.remove(id);
      } else {
        map[id] = static_cast<std::uint32_t>(step);
        CHECK(blocks.add({id, static_cast<std::uint32_t>(step)}).id == id);
      }
      const auto other = static_cast<std::uint32_t>(random.below(range));
      const CountedItem* found = std::as_const(blocks).find(other);
      REQUIRE((found != nullptr) == map.contains(other));
      REQUIRE((found == nullptr || found->value == map[other]));
    }
    REQUIRE(blocks.size() == map.size());
    auto expected = map.begin();
    for (const CountedItem& item : blocks) {
      REQUIRE(item.id == expected->first);
      REQUIRE(item.value == (expected++)->second);
    }
    REQUIRE(expected == map.end());
    blocks.clear();
    REQUIRE(blocks.empty());
    REQUIRE(blocks.begin() == blocks.end());
  }
}

TEST_CASE("Adding or removing one item of sorted blocks moves few other items",
          "[net][replication]") {
  const int order = GENERATE(0, 1, 2);
  const std::size_t count = GENERATE(std::size_t{10'000}, std::size_t{40'000});
  SortedBlocks<CountedItem> blocks;
  const std::vector<std::uint32_t> ids = ids_in(order, count);
  CountedItem::written = 0;
  for (const std::uint32_t id : ids) blocks.add({id, 0});
  for (const std::uint32_t id : ids) blocks.remove(id);
  CHECK(CountedItem::written < 200 * count);
  CHECK(blocks.empty());
}

TEST_CASE("100,000 entities with one position, one team and one owner are added, moved and removed",
          "[net][replication]") {
  // With a linear search for each entity, this would take minutes.
  const auto relevance =
      GENERATE(Relevance::near, Relevance::always, Relevance::owner, Relevance::team);
  const int order = GENERATE(0, 1, 2);
  const ReplicationSchema schema = replication_samples_schema();
  const TypeViews views(schema);
  ReplicatedWorld world(schema, views);
  const std::vector<UpdateClass> classes(1);
  InterestGrid grid({}, classes);
  const std::vector<std::int64_t> values(schema.value_count(SchemaType{1}));
  std::vector<NetworkId> ids;
  for (const std::uint32_t id : ids_in(order, 100'000)) ids.push_back(NetworkId{id});
  const Viewer viewer{.player = PlayerId{3}, .team = 1, .has_view_position = true};
  std::vector<NetworkId> found;
  world.begin(Tick(1));
  for (const NetworkId id : ids) {
    world.spawn(id,
                {.type = SchemaType{1}, .owner = PlayerId{3}, .relevance = relevance, .team = 1},
                values);
  }
  grid.update(world);
  grid.find(world, viewer, {}, found);
  CHECK(found.size() == ids.size());
  CHECK(std::ranges::is_sorted(found));
  world.begin(Tick(2));
  for (const NetworkId id : ids) world.set_position(id, {.x = 1'000});
  grid.update(world);
  grid.find(
      world,
      {.player = PlayerId{4}, .team = 2, .has_view_position = true, .view_position = {.x = 1'000}},
      {}, found);
  const bool is_for_all = relevance == Relevance::near || relevance == Relevance::always;
  CHECK(found.size() == (is_for_all ? ids.size() : 0));
  const std::size_t bytes = grid.memory_bytes();
  world.begin(Tick(3));
  for (const NetworkId id : ids) world.despawn(id);
  grid.update(world);
  grid.find(world, viewer, {}, found);
  CHECK(found.empty());
  CHECK(grid.memory_bytes() < bytes);
}

TEST_CASE("Items whose neighbours were removed share blocks", "[net][replication]") {
  const int order = GENERATE(0, 1, 2);
  CAPTURE(order);
  constexpr std::uint32_t kBlocks = 400;
  constexpr std::uint32_t kCount = 64 * kBlocks;
  SortedBlocks<CountedItem> blocks;
  for (std::uint32_t id = 1; id <= kCount; ++id) blocks.add({id, id});
  const std::size_t full = blocks.memory_bytes();
  for (const std::uint32_t id : ids_in(order, kCount)) {
    if (id % 64 != 0) blocks.remove(id);
  }
  CHECK(blocks.size() == kBlocks);
  // Nearly all blocks can be reused.
  for (std::uint32_t i = 1; i <= 64 * (kBlocks - 30); ++i) blocks.add({kCount + i, i});
  CHECK(blocks.memory_bytes() < full + full / 8);
  for (std::uint32_t id = 64; id <= kCount; id += 64) CHECK(blocks.find(id) != nullptr);
}

}  // namespace muster
