#include "runtime/world/structure_watch.h"

#include <catch2/catch.hpp>

#include "tests/support/world_samples.h"

namespace muster {
namespace {

using Kind = StructureChange::Kind;

TEST_CASE("A structure watch lists the changes of a world in their order", "[runtime][world]") {
  World world(samples::world_components());
  const ComponentId component(0);
  const ByteVector& value = world.storage(component).description().default_value;
  const EntityId old = world.create();
  StructureWatch watch(world);
  const EntityId parent = world.create();
  const EntityId child = world.create({.parent = parent});
  CHECK(world.add(component, child, value));
  CHECK(world.set_parent(child, old));
  CHECK(world.remove(component, child));
  CHECK(world.request_despawn(child));
  CHECK(world.request_despawn(child));  // The second request changes nothing.
  {
    const StructureWatch::Pause pause(&watch);
    const StructureWatch::Pause nested(&watch);
    CHECK(world.add(component, old, value));
    world.process_despawns();
  }
  std::vector<StructureChange> changes;
  watch.drain(changes);
  REQUIRE(changes.size() == 6);
  const std::vector<Kind> kinds{Kind::created, Kind::created,   Kind::component,
                                Kind::parent,  Kind::component, Kind::despawn};
  for (std::uint32_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    CHECK(changes[i].kind == kinds[i]);
    CHECK(changes[i].order == i);
    CHECK(changes[i].entity == (i == 0 ? parent : child));
  }
  CHECK(changes[2].component == component);
  CHECK(changes[3].parent == parent);
  CHECK(changes[5].parent == old);
  watch.drain(changes);
  CHECK(changes.empty());
}

TEST_CASE("A copy of a watched world is not watched", "[runtime][world]") {
  World world(samples::world_components());
  StructureWatch watch(world);
  World copy = world;
  copy.create();
  std::vector<StructureChange> changes;
  watch.drain(changes);
  CHECK(changes.empty());
}

}  // namespace
}  // namespace muster
