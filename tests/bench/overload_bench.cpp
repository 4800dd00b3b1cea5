// Measures updates and ages of a client whose budget is a fraction of its world's need. The peer is
// the same world with room for everything. The counters are bytes, updates and ages. The counters
// are equal on every machine.
#include <benchmark/benchmark.h>

#include "tests/bench/bench.h"
#include "tests/support/overload_stage.h"

namespace muster {
namespace {

constexpr int kSettleTicks = 3'600;
constexpr int kTicks = 1'200;

void play(benchmark::State& state, const OverloadScene& scene, double share) {
  const OverloadResult all = OverloadStage(scene, 0).measure(300, 300);
  OverloadResult result;
  for (auto _ : state) {
    const auto budget = static_cast<std::uint32_t>(all.bytes_per_second * share);
    result = OverloadStage(scene, share < 1 ? budget : 0).measure(kSettleTicks, kTicks);
  }
  state.counters["bytes per update"] = result.bytes_per_update();
  state.counters["x bytes of all"] = result.bytes_per_update() / all.bytes_per_update();
  state.counters["updates per fair share"] =
      result.updates_per_second / (all.updates_per_second * share);
  state.counters["age nearest tenth"] = result.age_ticks.front();
  state.counters["age farthest tenth"] = result.age_ticks.back();
  state.counters["false despawns"] = static_cast<double>(result.false_despawns);
}

}  // namespace

void register_overload_benchmarks() {
  for (const std::uint32_t entities : {100U, 400U, 2'000U}) {
    for (const SnapshotCoder coder : {SnapshotCoder::range, SnapshotCoder::mix}) {
      for (const int percent : {100, 50, 25, 10, 5, 3}) {
        const std::string name = "net/overload/" + std::to_string(entities) + " moving/" +
                                 (coder == SnapshotCoder::mix ? "mix/" : "range/") +
                                 std::to_string(percent) + " %";
        const OverloadScene scene{.entities = entities, .coder = coder, .has_view_position = true};
        benchmark::RegisterBenchmark(
            name.c_str(), [=](benchmark::State& state) { play(state, scene, percent / 100.0); })
            ->Iterations(1)
            ->Repetitions(1)
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
}

}  // namespace muster
