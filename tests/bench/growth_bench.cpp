// Measures the factor by which a step's time grows when the number of items doubles: about 2 for
// linear time, 4 for quadratic time. Each row measures N and 2 N items in alternation. Its counter
// is the ratio.
#include <chrono>
#include <cstdlib>
#include <functional>
#include <vector>

#include <benchmark/benchmark.h>

#include "runtime/spawn/replicated_collection.h"
#include "tests/bench/bench.h"
#include "tests/support/crowd.h"
#include "tests/support/replication_stage.h"
#include "tests/support/world_samples.h"

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;
/// Returns the seconds of a step with this number of items.
using Step = std::function<double(std::uint32_t)>;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// All entities are in one cell. Their owner and relevance are set, they move together, and they
/// are removed.
double crowd(Relevance relevance, IdOrder order, std::uint32_t count) {
  Crowd crowd({.relevance = relevance});
  const std::vector<NetworkId> ids = ids_in(order, count);
  const auto begin = Clock::now();
  crowd.spawn(ids);
  crowd.move(ids);
  crowd.despawn(ids);
  return since(begin);
}

/// A server and a client: all entities are created in one tick and removed in another.
double come_and_go(std::uint32_t count) {
  ReplicationStage stage(7, {.snapshot_ticks = 1});
  stage.join();
  stage.run(30);
  const auto begin = Clock::now();
  stage.step([&] {
    for (std::uint32_t id = 1; id <= count; ++id) {
      stage.spawn(NetworkId{id}, {.type = SchemaType{1}, .relevance = Relevance::always});
    }
  });
  stage.run(60);
  stage.step([&] {
    for (std::uint32_t id = 1; id <= count; ++id) stage.despawn(NetworkId{id});
  });
  stage.run(10);
  return since(begin);
}

/// Entities of a server get the lowest free ids and are removed together. Other entities then get
/// the same ids.
double network_ids(std::uint32_t count) {
  World world(samples::world_components());
  ReplicatedCollection collection(world);
  const auto spawn_all = [&] {
    for (std::uint32_t i = 0; i < count; ++i) {
      const EntityReference id = collection.lowest_free();
      if (collection.add(id, world.create()) != CollectionVerdict::accepted) std::abort();
    }
  };
  const auto begin = Clock::now();
  spawn_all();
  collection.each([&](EntityReference, EntityId entity) { world.request_despawn(entity); });
  world.process_despawns();
  spawn_all();
  return since(begin);
}

void add(const std::string& name, std::uint32_t count, const Step& step) {
  benchmark::RegisterBenchmark(("net/growth/" + name).c_str(),
                               [=](benchmark::State& state) {
                                 double single = 0;
                                 double both = 0;
                                 for (auto _ : state) {
                                   single += step(count);
                                   const double seconds = step(2 * count);
                                   both += seconds;
                                   state.SetIterationTime(seconds);
                                 }
                                 state.counters["time ratio for twice the number"] = both / single;
                               })
      ->UseManualTime()
      ->Iterations(5)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

void register_growth_benchmarks() {
  for (const auto& [order, name] : {std::pair{IdOrder::rising, "rising"},
                                    {IdOrder::falling, "falling"},
                                    {IdOrder::shuffled, "shuffled"}}) {
    for (const auto& [relevance, kind] : {std::pair{Relevance::near, "near"},
                                          {Relevance::always, "always"},
                                          {Relevance::team, "team"},
                                          {Relevance::owner, "owner"}}) {
      add(std::string("crowd/") + kind + "/" + name, 10'000,
          [seen_by = relevance, ids = order](std::uint32_t count) {
            return crowd(seen_by, ids, count);
          });
    }
  }
  add("one client/create and remove", 2'000, come_and_go);
  add("network ids", 10'000, network_ids);
}

}  // namespace muster
