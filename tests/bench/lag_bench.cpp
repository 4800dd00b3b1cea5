// The cost of shots at past moments. 64 shooters shoot at 64 targets in one tick, each at a
// different moment of the last 32 ticks. The world may have 448 more entities, which are never hit.
// The peers restore the past for every shot. One peer copies the world of that tick
// (`SnapshotRing::copy_to`, whole ticks only). The other peer has the minimum cost: it copies plain
// arrays of two ticks and blends in place. `hits` counts the hits of a round. This count is equal
// for all subjects that blend.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "registry/base/seed.h"
#include "runtime/session/game.h"
#include "runtime/sync/hit_batch.h"
#include "runtime/world/math.h"
#include "runtime/world/snapshot_ring.h"
#include "tests/bench/bench.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/hit_crowd.h"
#include "tests/support/world_samples.h"

namespace muster {
namespace {

constexpr std::uint32_t kTargetCount = 64;
constexpr std::uint32_t kTicks = 33;
constexpr std::uint32_t kShooters = 64;
constexpr HitVolume kBody{.center = {0, 1, 0}, .radius = 0.4F, .half_height = 0.6F};

std::vector<ComponentDescription> components() {
  std::vector<ComponentDescription> all = samples::world_components();
  all.push_back(description_of<Transform>());
  all.push_back(description_of<HitVolume>());
  return all;
}

/// Players that run in circles at 20 m/s.
struct Arena {
  World world{components()};
  ComponentHandle<Transform> transform = world.component<Transform>("Transform");
  ComponentHandle<HitVolume> volume = world.component<HitVolume>("HitVolume");
  ComponentHandle<samples::Velocity> velocity = world.component<samples::Velocity>("Velocity");
  ComponentHandle<samples::Vitality> vitality = world.component<samples::Vitality>("Vitality");
  std::vector<EntityId> targets;
  std::vector<Vec3> centers;
  SnapshotRing past{world, kTicks};
  PoseHistory history{{.states = kTicks}};
  std::vector<std::vector<ByteVector>> plain;  ///< Indexed by tick, and then by component.
  std::vector<ViewedShot> shots;

  explicit Arena(std::uint32_t shots_per_shooter, std::uint32_t others = 0) {
    Random random(5);
    for (std::uint32_t i = 0; i < kTargetCount; ++i) {
      centers.push_back(samples::random_vector(random, 40));
      targets.push_back(world.create());
      world.add(transform, targets[i], {});
      world.add(volume, targets[i], kBody);
      world.add(velocity, targets[i], {});
      world.add(vitality, targets[i], {});
    }
    for (std::uint32_t i = 0; i < others; ++i) {
      const EntityId other = world.create();
      world.add(transform, other, {});
      world.add(velocity, other, {});
      world.add(vitality, other, {});
    }
    for (std::uint32_t tick = 0; tick < kTicks; ++tick) step(tick);
    for (std::uint32_t i = 0; i < kShooters; ++i) {
      const auto tick = static_cast<std::uint32_t>(random.below(kTicks - 1));
      const ViewTime view =
          ViewTime::at(Tick(tick), 0.05F + 0.9F * static_cast<float>(samples::unit(random)));
      for (std::uint32_t shot = 0; shot < shots_per_shooter; ++shot) {
        const auto at = random.below(kTargetCount);
        const Vec3 from = samples::random_vector(random, 40);
        const Vec3 aimed = centers[at] + circle(at, view.ticks()) + kBody.center +
                           samples::random_vector(random, 0.8);
        shots.push_back(
            {{.shooter = targets[i], .from = from, .direction = normalised(aimed - from)}, view});
      }
    }
  }

  static Vec3 circle(std::uint64_t target, double tick) {
    const double angle = tick / 60 * 20 / 8 + static_cast<double>(target);
    return {static_cast<float>(8 * std::cos(angle)), 0, static_cast<float>(8 * std::sin(angle))};
  }
  void step(std::uint32_t tick) {
    for (std::uint32_t i = 0; i < kTargetCount; ++i) {
      Transform& at = *world.get(transform, targets[i]);
      at.position = centers[i] + circle(i, tick);
      const double turned = tick * 0.1 + i;
      at.rotation = {0, static_cast<float>(std::sin(turned)), 0,
                     static_cast<float>(std::cos(turned))};
    }
    past.capture(Tick(tick));
    record(tick);
    std::vector<ByteVector>& arrays = plain.emplace_back();
    for (std::uint32_t i = 0; i < world.component_type_count(); ++i) {
      const Bytes bytes = world.storage(ComponentId(i)).bytes();
      arrays.emplace_back(bytes.begin(), bytes.end());
    }
  }
  void record(std::uint32_t tick) {
    history.begin(Tick(tick));
    const std::span<const HitVolume> values = world.values(volume);
    const std::span<const EntityId> owners = world.owners(volume);
    for (std::size_t i = 0; i < owners.size(); ++i) {
      const Transform& at = *world.get(transform, owners[i]);
      history.note({.entity = owners[i], .pose = {at.position, at.rotation}, .volume = &values[i]});
    }
    history.end();
  }
};

void finish(benchmark::State& state, std::uint64_t allocations, std::size_t hits,
            std::size_t shots) {
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["allocations"] = static_cast<double>(allocation_count() - allocations) / rounds;
  state.counters["hits"] = static_cast<double>(hits);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(shots));
}

void rewind_in_batch(benchmark::State& state, std::uint32_t shots_per_shooter,
                     std::uint32_t others) {
  Arena arena(shots_per_shooter, others);
  HitBatch batch;
  batch.resolve(arena.history, arena.shots);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < arena.shots.size(); ++i) hits += batch.hits(i).empty() ? 0U : 1U;
  const std::uint64_t before = allocation_count();
  for (auto _ : state) {
    batch.resolve(arena.history, arena.shots);
    benchmark::ClobberMemory();
  }
  finish(state, before, hits, arena.shots.size());
  state.counters["bytes/target-tick"] =
      static_cast<double>(arena.history.memory_bytes()) / kTargetCount / kTicks;
}

/// True if a shot hits a body at a pose: the same two steps as in `RewoundView`.
bool hits_body(const Shot& shot, const Pose& from, const Pose& to, float fraction,
               const HitVolume& volume) {
  const Vec3 at = from.position + (to.position - from.position) * fraction;
  const float reach = length(volume.center) + volume.radius + volume.half_height + 0.01F;
  const Vec3 gap = at - shot.from;
  const Vec3 closest = gap - shot.direction * std::max(0.0F, dot(gap, shot.direction));
  if (dot(closest, closest) > reach * reach) return false;
  const WorldVolume body = to_world(volume, between(from, to, fraction));
  return cast(body, shot.from, shot.direction, shot.metres_max, shot.radius).has_value();
}

void copy_world(benchmark::State& state, std::uint32_t shots_per_shooter, std::uint32_t others) {
  Arena arena(shots_per_shooter, others);
  World scratch{components()};
  std::size_t hits = 0;
  const std::uint64_t before = allocation_count();
  for (auto _ : state) {
    hits = 0;
    for (const ViewedShot& shot : arena.shots) {
      if (!arena.past.copy_to(shot.view.from, scratch)) std::abort();
      bool has_hit = false;
      const std::span<const HitVolume> values = scratch.values(arena.volume);
      const std::span<const EntityId> owners = scratch.owners(arena.volume);
      for (std::size_t i = 0; i < owners.size(); ++i) {
        if (owners[i] == shot.shot.shooter) continue;
        const Transform& at = *scratch.get(arena.transform, owners[i]);
        const Pose pose{at.position, at.rotation};
        has_hit |= hits_body(shot.shot, pose, pose, 0, values[i]);
      }
      hits += has_hit ? 1U : 0U;
    }
    benchmark::DoNotOptimize(hits);
  }
  finish(state, before, hits, arena.shots.size());
}

void copy_plain(benchmark::State& state, std::uint32_t shots_per_shooter, std::uint32_t others) {
  Arena arena(shots_per_shooter, others);
  std::vector<ByteVector> now = arena.plain.back();
  std::vector<ByteVector> later = arena.plain.back();
  // The targets were created first, so their transforms are first, too.
  const std::vector<EntityId>& owners = arena.targets;
  const std::size_t transforms = arena.transform.id().value();
  const std::size_t volumes = arena.volume.id().value();
  const auto restore = [&](std::uint32_t tick, std::vector<ByteVector>& out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::memcpy(out[i].data(), arena.plain[tick][i].data(), out[i].size());
    }
    benchmark::ClobberMemory();
  };
  std::size_t hits = 0;
  const std::uint64_t before = allocation_count();
  for (auto _ : state) {
    hits = 0;
    for (const ViewedShot& shot : arena.shots) {
      restore(shot.view.from.value(), now);
      restore(shot.view.to.value(), later);
      bool has_hit = false;
      for (std::size_t i = 0; i < owners.size(); ++i) {
        if (owners[i] == shot.shot.shooter) continue;
        Transform from;
        Transform to;
        HitVolume volume;
        std::memcpy(&from, now[transforms].data() + i * sizeof from, sizeof from);
        std::memcpy(&to, later[transforms].data() + i * sizeof to, sizeof to);
        std::memcpy(&volume, now[volumes].data() + i * sizeof volume, sizeof volume);
        has_hit |= hits_body(shot.shot, {from.position, from.rotation}, {to.position, to.rotation},
                             shot.view.fraction, volume);
      }
      hits += has_hit ? 1U : 0U;
    }
    restore(kTicks - 1, now);  // Restores the present.
    benchmark::DoNotOptimize(hits);
  }
  finish(state, before, hits, arena.shots.size());
}

void record_history(benchmark::State& state) {
  Arena arena(1);
  std::uint32_t tick = kTicks;
  for (std::uint32_t i = 0; i < kTicks; ++i) arena.record(tick++);
  const std::uint64_t before = allocation_count();
  for (auto _ : state) arena.record(tick++);
  finish(state, before, 0, kTargetCount);
}

void record_snapshot(benchmark::State& state) {
  Arena arena(1);
  std::uint32_t tick = kTicks;
  for (std::uint32_t i = 0; i < kTicks; ++i) arena.past.capture(Tick(tick++));
  const std::uint64_t before = allocation_count();
  for (auto _ : state) arena.past.capture(Tick(tick++));
  finish(state, before, 0, kTargetCount);
}

template <typename Function, typename... Arguments>
void add(const std::string& name, Function function, Arguments... arguments) {
  benchmark::RegisterBenchmark(name.c_str(), function, arguments...)->UseRealTime();
}

}  // namespace

void register_lag_benchmarks() {
  for (const std::uint32_t others : {0U, 448U}) {
    for (const std::uint32_t shots : {1U, 8U}) {
      const std::string group = "sync/" + std::to_string(kShooters * shots) +
                                " past shots of 64 in " + std::to_string(kTargetCount + others);
      add(group + "/batch", rewind_in_batch, shots, others);
      add(group + "/world per shot", copy_world, shots, others);
      add(group + "/arrays per shot", copy_plain, shots, others);
    }
  }
  add("sync/keep 64 targets/history", record_history);
  add("sync/keep 64 targets/capture", record_snapshot);
}

}  // namespace muster
