#include "runtime/world/change_queue.h"

#include <csignal>

#include <catch2/catch.hpp>

#include "tests/support/child_process.h"
#include "tests/support/world_samples.h"

namespace muster {
namespace {

using samples::SampleWorld;

TEST_CASE("Queued changes are executed in order, and invalid changes are counted",
          "[runtime][world]") {
  SampleWorld f;
  ChangeQueue queue;
  const EntityId old = f.spawn(1);
  const QueuedEntity root = queue.create({.name = f.world.intern("root")});
  const QueuedEntity child = queue.create_below(root);
  queue.add(f.position, child, {3, 0, 0});
  queue.add(f.position, child, {4, 0, 0});  // The entity already has a position.
  queue.remove(f.velocity.id(), old);
  queue.remove(f.velocity.id(), old);
  queue.request_despawn(old);
  CHECK(f.world.entity_count() == 1);
  CHECK(queue.apply(f.world) == 2);
  CHECK(queue.is_empty());
  CHECK(f.world.entity_count() == 3);
  CHECK(f.world.is_despawning(old));
  CHECK_FALSE(f.world.has(f.velocity.id(), old));
  CHECK(f.world.values(f.position).back().x == 3);
  // A child of a despawned entity is never created.
  f.world.process_despawns();
  const QueuedEntity orphan = queue.create_below(old);
  queue.add(f.position, orphan, {});
  CHECK(queue.apply(f.world) == 2);
  CHECK(f.world.entity_count() == 2);
}

TEST_CASE("Using an entity of an earlier round of a queue is detected as a bug",
          "[runtime][world]") {
  SampleWorld f;
  ChangeQueue queue;
  const QueuedEntity early = queue.create({.name = f.world.intern("a")});
  queue.apply(f.world);
  const QueuedEntity late = queue.create({.name = f.world.intern("b")});
  queue.add(f.position, late, {1, 1, 1});
  const ChildEnd end = run_in_child([&] {
    ::close(STDERR_FILENO);  // Hides the assertion's message.
    std::signal(SIGABRT, SIG_DFL);
    queue.add(f.position, early, {2, 2, 2});
    return 0;
  });
  CHECK(end.signal == SIGABRT);
  CHECK(queue.apply(f.world) == 0);
  CHECK(f.world.values(f.position).size() == 1);
}

}  // namespace
}  // namespace muster
