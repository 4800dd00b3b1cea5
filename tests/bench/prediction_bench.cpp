// The cost of prediction for a client: a tick's first run, replayed ticks after a correction, and a
// server state that was predicted correctly. `ticks` counts entities times ticks.
#include <cmath>
#include <string>

#include <benchmark/benchmark.h>

#include "tests/bench/bench.h"
#include "tests/support/prediction_stage.h"

namespace muster {
namespace {

using namespace prediction_stage;  // NOLINT(google-build-using-namespace): the stage of these rows

/// Ticks that are predicted ahead of the server's state.
constexpr std::uint32_t kLag = 8;
constexpr std::uint32_t kLongLag = 20;

Steer steer_at(std::uint32_t tick) {
  const float angle = static_cast<float>(tick) / 20;
  return {{std::sin(angle), 0, std::cos(angle)}, {}};
}

struct Play {
  explicit Play(std::uint32_t entities, std::uint32_t lag = kLag)
      : stage(make_game(systems<session_game::steer>()), entities, lag) {
    for (; tick < 100; ++tick) stage.tick(steer_at(tick));
    stage.reconcile();
  }
  Stage stage;
  std::uint32_t tick = 0;
};

void finish(benchmark::State& state, double ticks) {
  state.counters["ticks"] =
      benchmark::Counter(ticks, benchmark::Counter::kIsIterationInvariantRate);
}

void forward(benchmark::State& state, std::uint32_t entities) {
  Play play(entities);
  CommandSet set = default_commands(play.stage.game.commands.types);
  std::uint32_t number = 1000;
  for (auto _ : state) {
    for (std::uint32_t i = 0; i < kLag; ++i)
      play.stage.prediction->run(CommandNumber(++number), set);
  }
  finish(state, static_cast<double>(kLag * entities));
}

template <std::uint32_t kTicks>
void replayed(benchmark::State& state, std::uint32_t entities) {
  Play play(entities, kTicks);
  const auto transform = play.stage.received.component<Transform>("Transform");
  for (auto _ : state) {
    // Every position changes, so that every state differs from the prediction.
    for (Transform& at : play.stage.received.values(transform)) at.position.y += 0.5F;
    play.stage.reconcile();
  }
  finish(state, static_cast<double>(kTicks * entities));
}

/// One entity was mispredicted, and no other entity depends on it.
void replayed_alone(benchmark::State& state, std::uint32_t entities) {
  Play play(entities);
  const auto transform = play.stage.received.component<Transform>("Transform");
  for (auto _ : state) {
    play.stage.received.get(transform, play.stage.owned[0])->position.y += 0.5F;
    play.stage.reconcile();
  }
  finish(state, static_cast<double>(kLag));
}

void kept(benchmark::State& state, std::uint32_t entities) {
  Play play(entities);
  for (auto _ : state) play.stage.reconcile();
  finish(state, static_cast<double>(entities));
}

/// A peer of constant length: the time that a game has for a frame.
void frame_of_60_hz(benchmark::State& state) {
  for (auto _ : state) state.SetIterationTime(1.0 / 60);
}

template <typename Function>
void add(const std::string& name, Function function, std::uint32_t entities) {
  benchmark::RegisterBenchmark(name.c_str(), function, entities)->UseRealTime();
}

}  // namespace

void register_prediction_benchmarks() {
  for (const std::uint32_t entities : {64U, 1000U}) {
    const std::string group = "sync/predict " + std::to_string(entities) + " entities";
    add(group + "/8 ticks forward", forward, entities);
    add(group + "/8 ticks replayed", replayed<kLag>, entities);
    add(group + "/20 ticks replayed", replayed<kLongLag>, entities);
    add(group + "/8 ticks of one replayed", replayed_alone, entities);
    add(group + "/state as predicted", kept, entities);
    benchmark::RegisterBenchmark((group + "/a 60 Hz frame").c_str(), frame_of_60_hz)
        ->UseManualTime()
        ->Iterations(10);
  }
}

}  // namespace muster
