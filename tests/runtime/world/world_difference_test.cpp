#include "runtime/world/world_difference.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/world_samples.h"

namespace muster {
namespace {

using samples::SampleWorld;

TEST_CASE("Two worlds are compared by entity, component and field", "[runtime][world][sys-57]") {
  SampleWorld left;
  SampleWorld right;
  const EntityId hero = left.spawn(1, {.name = left.world.intern("Hero")});
  right.spawn(1, {.name = right.world.intern("Hero")});
  CHECK_FALSE(first_difference(left.world, right.world).has_value());
  CHECK(left.world.checksum() == right.world.checksum());
  right.world.get(right.vitality, hero)->health = 97;
  CHECK(left.world.checksum() != right.world.checksum());
  const auto difference = first_difference(left.world, right.world);
  REQUIRE(difference.has_value());
  CHECK(difference->text == "entity 0 'Hero': Vitality.health: differs by 3 hp (tolerance 0)");
  right.world.remove(right.position.id(), hero);
  CHECK(first_difference(left.world, right.world)->text ==
        "entity 0 'Hero': Position exists only on the left");
  const EntityId extra = right.spawn(2);
  CHECK(first_difference(left.world, right.world)->entity == extra);
}

TEST_CASE("Every part of a checksum is named when it differs", "[runtime][world][sys-57]") {
  struct Row {
    const char* reason;
    // a, b and c are children of the root, in this order
    void (*change)(SampleWorld&, EntityId root);
    const char* text;
  };
  using S = SampleWorld;
  const auto row = GENERATE(
      Row{"player", [](S& f, EntityId root) { f.world.set_player(root, PlayerId{3}); },
          "entity 0: it is player -1's on the left, 3's on the right"},
      Row{"active", [](S& f, EntityId root) { f.world.set_active(root, false); },
          "entity 0: it is active only on the left"},
      Row{"despawning",
          [](S& f, EntityId root) { f.world.request_despawn(f.world.first_child(root)); },
          "entity 1 'a': it is despawning only on the right"},
      Row{"parent", [](S& f, EntityId root) { f.world.set_parent(f.world.first_child(root), {}); },
          "entity 1 'a': it has another parent"},
      Row{"children",
          [](S& f, EntityId root) { f.world.set_parent(f.world.first_child(root), root); },
          "entity 0: its children have another order"},
      Row{"the first child's next",
          [](S& f, EntityId root) {
            f.world.set_parent(f.world.next_sibling(f.world.first_child(root)), root);
          },
          "entity 1 'a': another child of its parent follows it"},
      Row{"components",
          [](S& f, EntityId root) {
            const EntityId first = f.world.first_child(root);
            const auto value = *f.world.get(f.position, first);
            f.world.remove(f.position.id(), first);
            f.world.add(f.position, first, value);
          },
          "array order of Position: at 0 there is entity 1 'a' on the left, "
          "entity 3 'c' on the right"},
      Row{"ids to come",
          [](S& f, EntityId) {
            f.world.request_despawn(f.world.create());
            f.world.process_despawns();
          },
          "slot 4: it was reused a different number of times, so later ids differ"},
      Row{"a value within its tolerance",
          [](S& f, EntityId root) {
            f.world.get(f.position, f.world.first_child(root))->x += 0.001F;
          },
          "entity 1 'a': Position.x: differs within its tolerance"});
  CAPTURE(row.reason);
  const auto make = [](S& f) {
    const EntityId root = f.world.create();
    for (const char* name : {"a", "b", "c"}) {
      const EntityId child = f.world.create({.parent = root, .name = f.world.intern(name)});
      f.world.add(f.position, child, {});
    }
    return root;
  };
  S left;
  S right;
  make(left);
  row.change(right, make(right));
  CHECK(left.world.checksum() != right.world.checksum());
  const auto difference = first_difference(left.world, right.world);
  REQUIRE(difference.has_value());
  CHECK(difference->text == row.text);
  CHECK(difference->is_tolerable == difference->text.ends_with("within its tolerance"));
}

TEST_CASE("Signatures and the order of despawns are named when they differ",
          "[runtime][world][sys-57]") {
  SampleWorld left;
  SampleWorld right;
  const EntityId first = left.world.create({.signature = Signature("x")});
  right.world.create({.signature = Signature("y")});
  CHECK(first_difference(left.world, right.world)->text == "entity 0: it has another signature");
  right.world = left.world;
  const EntityId second = left.world.create();
  right.world.create();
  for (const EntityId entity : {first, second}) left.world.request_despawn(entity);
  for (const EntityId entity : {second, first}) right.world.request_despawn(entity);
  CHECK(first_difference(left.world, right.world)->text ==
        "entity 0: another entity despawns after it");
}

std::vector<std::string> texts(const World& left, const World& right, std::size_t count_max) {
  std::vector<WorldDifference> found;
  differences(left, right, count_max, found);
  std::vector<std::string> texts;
  for (const WorldDifference& difference : found) texts.push_back(difference.text);
  return texts;
}

TEST_CASE("A report names each differing field, up to a limit", "[runtime][world][sys-57]") {
  SampleWorld left;
  for (int i = 0; i < 3; ++i) left.spawn(1);
  SampleWorld right;
  right.world = left.world;
  const auto owners = right.world.owners(right.position);
  right.world.get(right.position, owners[2])->x += 0.001F;
  right.world.get(right.position, owners[0])->y = 0.5F;
  right.world.get(right.position, owners[0])->z = 2;
  right.world.get(right.vitality, owners[0])->health = 97;
  right.world.set_player(owners[1], PlayerId{3});
  right.world.remove(right.velocity.id(), owners[2]);
  const std::vector<std::string> all = {
      "entity 0: Position.y: differs by 0.5 m (tolerance 0.01)",
      "entity 0: Position.z: differs by 2 m (tolerance 0.01)",
      "entity 0: Vitality.health: differs by 3 hp (tolerance 0)",
      "entity 1: it is player -1's on the left, 3's on the right",
      "entity 2: Velocity exists only on the left",
      "entity 2: Position.x: differs within its tolerance",
  };
  CHECK(texts(left.world, right.world, 100) == all);
  CHECK(texts(left.world, right.world, 0).empty());
  CHECK(texts(left.world, right.world, 4) == std::vector(all.begin(), all.begin() + 4));

  std::vector<WorldDifference> list;
  differences(left.world, right.world, 1, list);
  // The differences are appended, with a separate limit.
  differences(left.world, right.world, 6, list);
  REQUIRE(list.size() == 7);
  CHECK(list[1].entity == owners[0]);
  CHECK_FALSE(list[5].is_tolerable);
  CHECK(list[6].is_tolerable);
}

TEST_CASE("A report omits orders that differ only because an entity is missing",
          "[runtime][world][sys-57]") {
  SampleWorld left;
  const EntityId root = left.spawn(1);
  const EntityId child = left.spawn(2, {.parent = root});
  left.spawn(3, {.parent = root});
  SampleWorld right;
  right.world = left.world;
  right.world.request_despawn(child);
  right.world.process_despawns();
  right.world.get(right.vitality, root)->health = 99;
  CHECK(texts(left.world, right.world, 100) ==
        std::vector<std::string>{"entity 1 exists only on the left",
                                 "entity 0: Vitality.health: differs by 1 hp (tolerance 0)"});
  // A different value does not cause a different order, so both differences are listed.
  right.world = left.world;
  right.world.get(right.vitality, root)->health = 99;
  right.world.set_parent(child, root);
  CHECK(texts(left.world, right.world, 100) ==
        std::vector<std::string>{"entity 0: Vitality.health: differs by 1 hp (tolerance 0)",
                                 "entity 0: its children have another order",
                                 "entity 1: another child of its parent follows it",
                                 "entity 2: another child of its parent follows it"});
}

TEST_CASE("Two worlds differ exactly when their checksums differ",
          "[runtime][world][sys-57][property]") {
  const auto seed = GENERATE(range(1U, 201U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  SampleWorld left;
  for (int i = 0; i < 60; ++i) left.disturb(random);
  for (int round = 0; round < 20; ++round) {
    SampleWorld right;
    right.world = left.world;
    REQUIRE_FALSE(first_difference(left.world, right.world).has_value());
    for (auto changes = random() % 4; changes > 0; --changes) right.disturb(random);
    if (random() % 2 == 0) {
      for (auto changes = random() % 4; changes > 0; --changes) left.disturb(random);
    }
    const bool differs = left.world.checksum() != right.world.checksum();
    const auto difference = first_difference(left.world, right.world);
    CAPTURE(round, difference ? difference->text : "");
    REQUIRE(difference.has_value() == differs);
    REQUIRE(first_difference(right.world, left.world).has_value() == differs);
    const std::vector<std::string> all = texts(left.world, right.world, 1000);
    REQUIRE(all.empty() != differs);
    if (differs) REQUIRE(all.front() == difference->text);
    REQUIRE(std::set(all.begin(), all.end()).size() == all.size());  // no duplicates
    const auto some = std::min<std::size_t>(all.size(), random() % 5);
    REQUIRE(texts(left.world, right.world, some) ==
            std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(some)));
  }
}

}  // namespace
}  // namespace muster
