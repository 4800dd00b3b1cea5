#include "runtime/world/world.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/world/snapshot_ring.h"
#include "runtime/world/view_events.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/child_process.h"
#include "tests/support/sample_build.h"

namespace muster {
namespace {

using samples::Body;
using samples::Life;

struct Fixture {
  World world{samples::game_components()};
  ComponentHandle<Body> body = world.component<Body>("Body");
  ComponentHandle<Life> life = world.component<Life>("Life");
};

TEST_CASE("A value of another size, and a parent that does not exist, end the program",
          "[runtime][world]") {
  Fixture f;
  const EntityId entity = f.world.create();
  const EntityId removed = f.world.create();
  f.world.request_despawn(removed);
  f.world.process_despawns();
  const auto last_words = [](const auto& call) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const ChildEnd end = run_in_child([&] {
      std::signal(SIGABRT, SIG_DFL);  // Catch reports the signal as a failure.
      ::dup2(ends[1], STDERR_FILENO);
      call();
      return 0;
    });
    CHECK(end.signal == SIGABRT);
    ::close(ends[1]);
    std::string words(1000, ' ');
    const ssize_t size = ::read(ends[0], words.data(), words.size());
    ::close(ends[0]);
    words.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return words;
  };
  const std::vector<std::byte> bytes(1000);
  for (const std::size_t size : {1000U, 2U}) {
    const auto add = [&] { f.world.add(f.body.id(), entity, Bytes(bytes).first(size)); };
    CHECK(last_words(add).starts_with("muster: a component 'Body' has 16 bytes"));
  }
  for (const EntityId parent : {removed, EntityId(100'000, 1)}) {
    const auto create = [&] { f.world.create({.parent = parent}); };
    CHECK(last_words(create).starts_with("muster: an entity was created with a parent"));
  }
}

TEST_CASE("The null entity is all zero and never alive", "[runtime][world]") {
  Fixture f;
  CHECK(EntityId().is_null());
  CHECK_FALSE(f.world.is_alive(EntityId()));
  const EntityId entity = f.world.create();
  CHECK_FALSE(entity.is_null());
  CHECK(f.world.is_alive(entity));
  CHECK_FALSE(f.world.is_alive(EntityId()));
  CHECK_FALSE(f.world.is_alive(EntityId(77, 1)));
}

TEST_CASE("A reused slot has another generation", "[runtime][world]") {
  Fixture f;
  const EntityId old = f.world.create();
  f.world.add(f.life, old, {5, 1});
  CHECK(f.world.request_despawn(old));
  CHECK(f.world.is_alive(old));  // The entity is alive until the end of the tick.
  CHECK(f.world.is_despawning(old));
  CHECK(f.world.process_despawns() == 1);
  const EntityId fresh = f.world.create();
  CHECK(fresh.slot() == old.slot());
  CHECK(fresh != old);
  CHECK_FALSE(f.world.is_alive(old));
  CHECK(f.world.get(f.life, old) == nullptr);
  CHECK(f.world.get(f.life, fresh) == nullptr);
  // Calls with the old id change nothing.
  CHECK_FALSE(f.world.add(f.life, old, {}));
  CHECK_FALSE(f.world.remove(f.life.id(), old));
  CHECK_FALSE(f.world.request_despawn(old));
  CHECK_FALSE(f.world.set_active(old, true));
  CHECK_FALSE(f.world.set_parent(old, fresh));
  CHECK(f.world.name(old).empty());
}

TEST_CASE("Components are added, read, changed and removed", "[runtime][world][sys-17]") {
  Fixture f;
  const EntityId a = f.world.create();
  const EntityId b = f.world.create();
  CHECK(f.world.add(f.life, a, {80, 1}));
  CHECK(f.world.add(f.life, b, {70, 2}));
  CHECK_FALSE(f.world.add(f.life, a, {1, 1}));
  CHECK(f.world.get(f.life, a)->current == 80);
  f.world.get(f.life, a)->current -= 30;
  CHECK(*f.world.get(f.life, a) == Life{50, 1});
  CHECK(f.world.get(f.body, a) == nullptr);
  CHECK(f.world.remove(f.life.id(), a));
  CHECK_FALSE(f.world.has(f.life.id(), a));
  CHECK(*f.world.get(f.life, b) == Life{70, 2});
  CHECK(f.world.bytes(f.life.id(), b).size() == sizeof(Life));
  CHECK(f.world.bytes(f.life.id(), a).empty());
}

TEST_CASE("Components of one type are contiguous", "[runtime][world][sys-17]") {
  Fixture f;
  std::vector<EntityId> entities;
  for (std::int32_t i = 0; i < 10; ++i) {
    entities.push_back(f.world.create());
    f.world.add(f.life, entities.back(), {static_cast<float>(i), i});
  }
  REQUIRE(f.world.values(f.life).size() == 10);
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(f.world.values(f.life)[i].team == static_cast<std::int32_t>(i));
    CHECK(f.world.owners(f.life)[i] == entities[i]);
  }
  f.world.remove(f.life.id(), entities[3]);  // The last component moves to the free index.
  CHECK(f.world.owners(f.life)[3] == entities[9]);
  CHECK(f.world.values(f.life)[3].team == 9);
  CHECK(*f.world.get(f.life, entities[9]) == Life{9, 9});
  const ComponentStorage& storage = f.world.storage(f.life.id());
  CHECK(storage.bytes().size() == 9 * storage.stride_bytes());
}

TEST_CASE("Component ids depend on the names, not on the order of registration",
          "[runtime][world][sys-17]") {
  std::vector<ComponentDescription> reversed = samples::game_components();
  std::ranges::reverse(reversed);
  const World server(reversed);
  const World client(samples::game_components());
  for (std::uint32_t i = 0; i < client.component_type_count(); ++i) {
    const ComponentStorage& a = client.storage(ComponentId(i));
    const ComponentStorage& b = server.storage(ComponentId(i));
    CHECK(a.description().name == b.description().name);
    CHECK(a.identity() == b.identity());
  }
  CHECK(client.find_component("Body") == ComponentId(0));
  CHECK_FALSE(client.find_component("Bod"));
  CHECK_FALSE(client.find_component("Zebra"));
}

TEST_CASE("Children keep their order and despawn with their parent", "[runtime][world][sys-16]") {
  Fixture f;
  World& world = f.world;
  const EntityId root = world.create({.name = world.intern("root")});
  const EntityId a = world.create({.parent = root, .name = world.intern("a")});
  const EntityId b = world.create({.parent = root, .name = world.intern("b")});
  const EntityId below = world.create({.parent = a, .name = world.intern("below")});
  const EntityId other = world.create();
  CHECK(world.first_child(root) == a);
  CHECK(world.next_sibling(a) == b);
  CHECK(world.next_sibling(b).is_null());
  CHECK(world.parent(below) == a);
  CHECK(world.name(below) == "below");
  for (const EntityId entity : {root, a, b, below}) world.add(f.life, entity, {});
  CHECK(world.request_despawn(root));
  for (const EntityId entity : {root, a, b, below}) CHECK(world.is_despawning(entity));
  CHECK_FALSE(world.is_despawning(other));
  const EntityId late = world.create({.parent = b});  // The parent has a despawn request.
  CHECK(world.is_despawning(late));
  CHECK(world.process_despawns() == 5);
  CHECK(world.entity_count() == 1);
  CHECK(world.is_alive(other));
  CHECK(world.values(f.life).empty());
}

TEST_CASE("A chain of any length despawns from its end to its beginning", "[runtime][world]") {
  // A despawn that walks the whole chain for each entity would take too long.
  constexpr std::size_t kLength = 200'000;
  Fixture f;
  std::vector<EntityId> chain = {f.world.create()};
  while (chain.size() < kLength) chain.push_back(f.world.create({.parent = chain.back()}));
  const EntityId other = f.world.create();
  f.world.request_despawn(chain.front());
  f.world.request_despawn(other);
  std::vector<EntityId> gone;
  CHECK(f.world.process_despawns([&](EntityId entity) { gone.push_back(entity); }) == kLength + 1);
  std::ranges::reverse(chain);
  chain.push_back(other);
  CHECK((gone == chain));  // With the second parentheses, Catch does not print the long list.
}

TEST_CASE("A despawn that is requested twice happens once", "[runtime][world][sys-16]") {
  Fixture f;
  const EntityId root = f.world.create();
  const EntityId child = f.world.create({.parent = root});
  CHECK(f.world.request_despawn(child));
  CHECK(f.world.request_despawn(root));
  CHECK(f.world.request_despawn(child));
  CHECK(f.world.process_despawns() == 2);
  CHECK(f.world.process_despawns() == 0);
}

TEST_CASE("A parent can change, but never to a descendant", "[runtime][world][sys-16]") {
  Fixture f;
  World& world = f.world;
  const EntityId a = world.create();
  const EntityId b = world.create({.parent = a});
  const EntityId c = world.create({.parent = b});
  const EntityId d = world.create({.parent = a});
  CHECK_FALSE(world.set_parent(a, c));
  CHECK_FALSE(world.set_parent(a, a));
  CHECK(world.set_parent(b, {}));
  CHECK(world.parent(b).is_null());
  CHECK(world.first_child(a) == d);
  CHECK(world.set_parent(b, d));
  CHECK(world.first_child(d) == b);
  CHECK(world.set_parent(c, a));
  CHECK(world.next_sibling(d) == c);
  CHECK(world.first_child(b).is_null());
  CHECK(world.request_despawn(d));
  CHECK_FALSE(world.set_parent(c, b));  // b is despawning.
  CHECK_FALSE(world.set_parent(b, a));
  CHECK(world.process_despawns() == 2);
  CHECK(world.first_child(a) == c);
  CHECK(world.next_sibling(c).is_null());
}

TEST_CASE("The server simulates every entity, and a player its own entities",
          "[runtime][world][sys-19]") {
  Fixture f;
  World& world = f.world;
  const PlayerId server = PlayerId::none;
  const PlayerId me{1};
  const PlayerId you{2};
  const EntityId hero = world.create({.player = me});
  const EntityId sword = world.create({.parent = hero});
  const EntityId tree = world.create();
  for (const EntityId entity : {hero, sword}) {  // Children have the same player.
    CHECK(world.is_simulated_by(server, entity));
    CHECK(world.is_simulated_by(me, entity));
    CHECK_FALSE(world.is_simulated_by(you, entity));
  }
  CHECK(world.is_simulated_by(server, tree));
  CHECK_FALSE(world.is_simulated_by(me, tree));
  // The owner of an entity and its descendants may change.
  CHECK(world.set_player(hero, you));
  CHECK(world.is_simulated_by(you, sword));
  CHECK_FALSE(world.is_simulated_by(me, sword));
  CHECK_FALSE(world.is_simulated_by(server, EntityId(99, 1)));
}

TEST_CASE("An entity with a new parent gets the parent's player", "[runtime][world][sys-19]") {
  Fixture f;
  World& world = f.world;
  const PlayerId me{1};
  const PlayerId you{2};
  const EntityId mine = world.create({.player = me});
  const EntityId yours = world.create({.player = you});
  const EntityId chest = world.create({.parent = mine});
  const EntityId coin = world.create({.parent = chest});
  CHECK(world.set_parent(chest, yours));
  CHECK(world.player(chest) == you);
  CHECK(world.player(coin) == you);
  CHECK(world.set_parent(chest, {}));  // A detached entity keeps its player.
  CHECK(world.player(coin) == you);
  CHECK_FALSE(world.set_parent(mine, mine));
  CHECK(world.player(mine) == me);
  // A restore undoes the change of the parent.
  SnapshotRing past(world, 2);
  past.capture(Tick(1));
  CHECK(world.set_parent(chest, mine));
  CHECK(world.player(coin) == me);
  CHECK(past.restore(Tick(1)));
  CHECK(world.player(coin) == you);
}

TEST_CASE("Entities are visited in the order of their slots", "[runtime][world][sys-17]") {
  Fixture f;
  std::vector<EntityId> made;
  for (int i = 0; i < 5; ++i) made.push_back(f.world.create());
  f.world.request_despawn(made[1]);
  f.world.request_despawn(made[3]);
  f.world.process_despawns();
  const EntityId again = f.world.create();
  CHECK(again.slot() == made[3].slot());  // This slot was freed last.
  std::vector<EntityId> visited;
  f.world.each_entity([&](EntityId entity) { visited.push_back(entity); });
  CHECK(visited == std::vector<EntityId>{made[0], made[2], again, made[4]});
}

// Makes a fixed sequence of calls in a world.
void play(World& world) {
  const auto life = world.component<Life>("Life");
  const auto body = world.component<Body>("Body");
  std::vector<EntityId> entities;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const EntityId parent = i % 3 == 0 || entities.empty() ? EntityId() : entities[i / 2];
    entities.push_back(world.create({.parent = world.is_alive(parent) ? parent : EntityId()}));
    world.add(life, entities.back(), {static_cast<float>(i), 0});
    if (i % 2 == 0) world.add(body, entities.back(), {});
    if (i % 7 == 0) world.request_despawn(entities[i / 3]);
    if (i % 10 == 0) world.process_despawns();
  }
}

TEST_CASE("Equal calls give equal worlds, byte for byte", "[runtime][world][sys-17]") {
  Fixture a;
  Fixture b;
  play(a.world);
  play(b.world);
  CHECK(a.world.entity_count() == b.world.entity_count());
  CHECK(a.world.entity_count() > 10);
  for (std::uint32_t i = 0; i < a.world.component_type_count(); ++i) {
    const ComponentStorage& left = a.world.storage(ComponentId(i));
    const ComponentStorage& right = b.world.storage(ComponentId(i));
    CHECK(std::ranges::equal(left.bytes(), right.bytes()));
    CHECK(std::ranges::equal(left.owners(), right.owners()));
  }
}

TEST_CASE("A copied world is independent", "[runtime][world][sys-17]") {
  Fixture f;
  const EntityId entity = f.world.create({.name = f.world.intern("original")});
  f.world.add(f.life, entity, {9, 9});
  World copy = f.world;
  copy.get(f.life, entity)->current = 1;
  copy.request_despawn(entity);
  copy.process_despawns();
  CHECK(f.world.is_alive(entity));
  CHECK(f.world.get(f.life, entity)->current == 9);
  CHECK(f.world.name(entity) == "original");
  CHECK(copy.intern("original") == f.world.intern("original"));
}

TEST_CASE("Changes of a copy are not logged for the watchers of the original", "[runtime][world]") {
  Fixture f;
  SnapshotRing past(f.world, 4);
  ViewEvents view(f.world);
  past.capture(Tick(1));
  World copy = f.world;
  copy.reserve(8, 8);
  const std::uint64_t before = allocation_count();
  for (int round = 0; round < 1000; ++round) {
    const EntityId entity = copy.create({.signature = Signature("brief")});
    copy.add(f.life, entity, {});
    copy.request_despawn(entity);
    copy.process_despawns();
  }
  CHECK(allocation_count() == before);
}

TEST_CASE("A world without watchers logs nothing", "[runtime][world]") {
  Fixture f;
  f.world.reserve(8, 8);
  {
    const SnapshotRing past(f.world, 4);
    const ViewEvents view(f.world);
  }
  {
    SnapshotRing past(f.world, 4);
    past.capture(Tick(1));
  }
  const std::uint64_t before = allocation_count();
  for (int round = 0; round < 1000; ++round) {
    const EntityId entity = f.world.create({.signature = Signature("brief")});
    f.world.request_despawn(entity);
    f.world.process_despawns();
  }
  CHECK(allocation_count() == before);
}

TEST_CASE("A world with free capacity allocates nothing", "[runtime][world][sys-17]") {
  Fixture f;
  f.world.reserve(64, 64);
  const NameId name = f.world.intern("thing");
  const std::uint64_t before = allocation_count();
  for (int round = 0; round < 20; ++round) {
    const EntityId root = f.world.create({.name = name});
    for (int i = 0; i < 50; ++i) {
      const EntityId entity = f.world.create({.parent = root, .name = name});
      f.world.add(f.life, entity, {});
      f.world.add(f.body, entity, {});
    }
    f.world.request_despawn(root);
    CHECK(f.world.process_despawns() == 51);
  }
  CHECK(allocation_count() == before);
}

TEST_CASE(
    "A world that is restored from a copy keeps the names that other code refers to by number",
    "[runtime][world]") {
  World world(samples::game_components());
  (void)world.intern("old");
  const World saved = world;
  const NameId kept = world.intern("a name that came since");
  world = saved;
  CHECK(world.text(kept) == "a name that came since");
  CHECK(world.name(world.create({.name = kept})) == "a name that came since");
  // Another world has its own names.
  World other(samples::game_components());
  const NameId first = other.intern("another");
  world = other;
  CHECK(world.text(first) == "another");
}

}  // namespace
}  // namespace muster
