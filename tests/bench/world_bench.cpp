// The cost of a world per tick. The peers copy the same bytes, do the same arithmetic over plain
// arrays, or simulate the same ticks forward. `allocations` counts the allocations of one round in
// steady state.
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "runtime/world/schedule.h"
#include "runtime/world/snapshot_ring.h"
#include "tests/bench/bench.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/world_samples.h"

namespace muster {
namespace {

using samples::Position;
using samples::SampleWorld;
using samples::Velocity;
using samples::Vitality;

constexpr float kSeconds = 1.0F / 60;

std::unique_ptr<SampleWorld> crowd(std::uint32_t entities) {
  auto sample = std::make_unique<SampleWorld>();
  sample->world.reserve(entities, entities);
  for (std::uint32_t i = 0; i < entities; ++i) sample->spawn(static_cast<float>(i % 100));
  sample->world.process_despawns();
  return sample;
}

std::size_t value_bytes(const World& world) {
  std::size_t sum = 0;
  for (std::uint32_t i = 0; i < world.component_type_count(); ++i) {
    sum += world.storage(ComponentId(i)).bytes().size();
  }
  return sum;
}

void count_allocations(benchmark::State& state, std::uint64_t before) {
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["allocations"] = static_cast<double>(allocation_count() - before) / rounds;
}

void snapshot_and_restore(benchmark::State& state, std::uint32_t entities) {
  const auto sample = crowd(entities);
  SnapshotRing past(sample->world, 2);
  std::uint32_t tick = 0;
  for (int i = 0; i < 4; ++i) past.capture(Tick(++tick));
  const std::uint64_t before = allocation_count();
  for (auto _ : state) {
    past.capture(Tick(++tick));
    benchmark::DoNotOptimize(past.restore(Tick(tick)));
    benchmark::ClobberMemory();
  }
  count_allocations(state, before);
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(2 * value_bytes(sample->world)));
}

// Copies the bytes of each component to an array and back.
void copy_and_copy_back(benchmark::State& state, std::uint32_t entities) {
  const auto sample = crowd(entities);
  const std::uint32_t types = sample->world.component_type_count();
  std::vector<std::vector<ByteVector>> kept(2, std::vector<ByteVector>(types));
  for (std::vector<ByteVector>& slot : kept) {
    for (std::uint32_t i = 0; i < types; ++i) {
      slot[i].resize(sample->world.storage(ComponentId(i)).bytes().size());
    }
  }
  const std::array<std::span<std::byte>, 3> arrays = {
      std::as_writable_bytes(sample->world.values(sample->position)),
      std::as_writable_bytes(sample->world.values(sample->velocity)),
      std::as_writable_bytes(sample->world.values(sample->vitality))};
  std::size_t next = 0;
  for (auto _ : state) {
    std::vector<ByteVector>& slot = kept[next++ % 2];
    for (std::size_t i = 0; i < types; ++i) {
      std::memcpy(slot[i].data(), arrays[i].data(), slot[i].size());
    }
    benchmark::ClobberMemory();
    for (std::size_t i = 0; i < types; ++i) {
      std::memcpy(arrays[i].data(), slot[i].data(), slot[i].size());
    }
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(2 * value_bytes(sample->world)));
}

void update_query(benchmark::State& state, std::uint32_t entities) {
  const auto sample = crowd(entities);
  Query<Position, const Velocity> moving(sample->world, sample->position, sample->velocity);
  const std::uint64_t before = allocation_count();
  for (auto _ : state) {
    moving.each([](Position& p, const Velocity& v) {
      p.x += v.x * kSeconds;
      p.y += v.y * kSeconds;
      p.z += v.z * kSeconds;
    });
    benchmark::ClobberMemory();
  }
  count_allocations(state, before);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(entities));
}

void update_plain(benchmark::State& state, std::uint32_t entities) {
  struct Arrays {
    std::vector<float> x, y, z;
  };
  Arrays p{std::vector<float>(entities), std::vector<float>(entities),
           std::vector<float>(entities)};
  Arrays v{std::vector<float>(entities, 1), std::vector<float>(entities, 2),
           std::vector<float>(entities, 3)};
  // Updates one array after another, because a single loop over all six arrays takes longer.
  const auto advance = [&](std::vector<float>& to, const std::vector<float>& by) {
    float* __restrict const position = to.data();
    const float* __restrict const speed = by.data();
    for (std::uint32_t i = 0; i < entities; ++i) position[i] += speed[i] * kSeconds;
  };
  for (auto _ : state) {
    advance(p.x, v.x);
    advance(p.y, v.y);
    advance(p.z, v.z);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(entities));
}

// One tick of a small game. Entities move, bounce and lose energy. One entity in fifty is destroyed
// and spawned again.
struct Game {
  std::unique_ptr<SampleWorld> sample;
  Query<Position, Velocity> moving;
  Query<Vitality, const Position> living;
  Schedule schedule;

  explicit Game(std::uint32_t entities)
      : sample(crowd(entities)),
        moving(sample->world, sample->position, sample->velocity),
        living(sample->world, sample->vitality, sample->position) {
    const ComponentId position = sample->position.id();
    const ComponentId velocity = sample->velocity.id();
    const ComponentId vitality = sample->vitality.id();
    schedule.add({"move", {}, {position, velocity}, [this](ScheduleContext& context) {
                    walk(context, moving, [&](Position& p, Velocity& v) {
                      p.x += v.x * context.seconds;
                      p.y += v.y * context.seconds;
                      if (p.x > 100 || p.x < 0) v.x = -v.x;
                      if (p.y > 100 || p.y < 0) v.y = -v.y;
                    });
                  }});
    schedule.add({"live", {position}, {vitality}, [this](ScheduleContext& context) {
                    walk(context, living, [&](EntityId entity, Vitality& life, const Position&) {
                      life.health -= 0.25F;
                      const bool is_shot = (entity.slot() + context.tick.value()) % 1500 < 2;
                      if (is_shot) context.changes.request_despawn(entity);
                      if (is_shot) respawn(context);
                    });
                  }});
    schedule.add(
        {"end", {}, {}, [](ScheduleContext& context) { context.world.process_despawns(); }});
  }

  void respawn(ScheduleContext& context) const {
    const QueuedEntity fresh = context.changes.create();
    context.changes.add(sample->position, fresh, {50, 50, 0});
    context.changes.add(sample->velocity, fresh, {1, 2, 0});
    context.changes.add(sample->vitality, fresh, {});
  }
};

constexpr std::uint32_t kTicks = 15;

void simulate(benchmark::State& state, std::uint32_t entities, bool again) {
  Game game(entities);
  SnapshotRing past(game.sample->world, kTicks + 2);
  std::uint32_t tick = 0;
  const auto forward = [&](std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      game.schedule.run(game.sample->world, {.tick = Tick(++tick), .seconds = kSeconds});
      past.capture(Tick(tick));
    }
  };
  forward(5 * kTicks);
  const std::uint64_t before = allocation_count();
  for (auto _ : state) {
    if (again) {
      tick -= kTicks;
      benchmark::DoNotOptimize(past.restore(Tick(tick)));
    }
    forward(kTicks);
  }
  count_allocations(state, before);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kTicks));
}

// Compares two worlds whose values differ by `moved`, which is within the tolerance. If it is 0,
// comparing bytes is sufficient.
void compare(benchmark::State& state, std::uint32_t entities, float moved) {
  const auto sample = crowd(entities);
  SnapshotRing past(sample->world, 2);
  past.capture(Tick(1));
  for (Position& position : sample->world.values(sample->position)) position.x += moved;
  const ComponentId id = sample->position.id();
  const std::uint64_t before = allocation_count();
  for (auto _ : state) {
    std::uint32_t different = 0;
    for (const EntityId entity : sample->world.owners(sample->position)) {
      const Bytes now = sample->world.bytes(id, entity);
      if (past.first_difference(Tick(1), id, entity, now)) ++different;
    }
    benchmark::DoNotOptimize(different);
  }
  count_allocations(state, before);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(entities));
}

// Compares the same numbers with the same tolerance in plain code.
void compare_plain(benchmark::State& state, std::uint32_t entities, float moved) {
  std::vector<Position> left(entities, Position{1, 2, 3});
  std::vector<Position> right(entities, Position{1 + moved, 2, 3});
  const auto differs = [](float a, float b) { return std::abs(a - b) > 0.01F; };
  for (auto _ : state) {
    std::uint32_t different = 0;
    for (std::uint32_t i = 0; i < entities; ++i) {
      if (differs(left[i].x, right[i].x) || differs(left[i].y, right[i].y) ||
          differs(left[i].z, right[i].z))
        ++different;
    }
    benchmark::DoNotOptimize(different);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(entities));
}

template <typename Function, typename... Arguments>
void add(const std::string& name, Function function, Arguments... arguments) {
  benchmark::RegisterBenchmark(name.c_str(), function, arguments...)->UseRealTime();
}

}  // namespace

void register_world_benchmarks() {
  for (const std::uint32_t entities : {1000U, 10000U}) {
    const std::string group = "runtime/snapshot and restore " + std::to_string(entities);
    add(group + "/ring", snapshot_and_restore, entities);
    add(group + "/memcpy", copy_and_copy_back, entities);
  }
  add("runtime/update 100000/query", update_query, 100000U);
  add("runtime/update 100000/plain arrays", update_plain, 100000U);
  add("runtime/15 ticks of 1000/again", simulate, 1000U, true);
  add("runtime/15 ticks of 1000/forward", simulate, 1000U, false);
  add("runtime/compare 10000/ring", compare, 10000U, 0.001F);
  add("runtime/compare 10000/plain arrays", compare_plain, 10000U, 0.001F);
  add("runtime/compare 10000 that are equal/ring", compare, 10000U, 0.0F);
  add("runtime/compare 10000 that are equal/plain arrays", compare_plain, 10000U, 0.0F);
}

}  // namespace muster
