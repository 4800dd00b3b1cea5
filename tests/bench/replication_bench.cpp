// The cost for a server of replicating a world to its clients: the time inside `update` of all
// clients, once per snapshot. The peer copies every entity's values once per client, which is the
// minimum for a server without a codec.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "net/snapshot/snapshot_writer.h"
#include "tests/bench/bench.h"
#include "tests/support/replication_stage.h"

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;

struct Scene {
  std::uint32_t clients = 64;
  std::uint32_t entities = 1'000;
  /// In each group of `moving_of` entities, `moving` entities move. The other entities are idle.
  std::uint32_t moving = 30;
  std::uint32_t moving_of = 100;
  /// In every tick, this many entities are removed, and the same number of entities is created.
  std::uint32_t passing = 0;
};

/// A world that runs 20 ticks per second and sends a snapshot in each tick. Entities walk in
/// curves.
class Hall {
 public:
  explicit Hall(const Scene& scene) : scene_(scene), stage_(1, options()) {
    for (std::uint32_t i = 0; i < scene.clients; ++i) stage_.join();
    stage_.step([&] {
      for (std::uint32_t id = 0; id < scene.entities; ++id) {
        stage_.spawn(NetworkId{id}, {.relevance = Relevance::always});
      }
    });
    // After these ticks, all clients have all entities, and unchanged entities are idle.
    for (int i = 0; i < 150; ++i) tick(1);
  }

  /// Runs one tick; returns the seconds inside the server.
  double tick(std::size_t threads) {
    stage_.server.begin_tick(Tick(++stage_.tick));
    const auto begin = Clock::now();
    move();
    stage_.server.end_tick();
    double seconds = since(begin);
    for (const auto& client : stage_.clients) {
      ConnectionPair& pair = *client->pair;
      pair.now += stage_.tick_length;
      pair.network.advance(pair.now);
      pair.a->receive(pair.now);
      pair.b->receive(pair.now);
    }
    const auto encode = Clock::now();
    if (threads == 1) {
      serve(0, 1);
    } else {
      std::vector<std::jthread> workers;
      for (std::size_t i = 0; i < threads; ++i) {
        workers.emplace_back([this, i, threads] { serve(i, threads); });
      }
    }
    seconds += since(encode);
    for (const auto& client : stage_.clients) {
      client->replication->update(client->pair->b->connection);
      client->replication->clear();
      client->pair->a->send(client->pair->now);
      client->pair->b->send(client->pair->now);
    }
    return seconds;
  }

  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto& client : stage_.clients) {
      sum += stage_.server.view(client->id)->counters().snapshot_bytes;
    }
    return sum;
  }
  std::size_t memory_bytes() const { return stage_.server.memory_bytes(); }

 private:
  static ReplicationServerOptions options() {
    ReplicationServerOptions options;
    options.ticks_per_second = 20;
    options.snapshot_ticks = 1;
    return options;
  }
  static double since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  void move() {
    for (std::uint32_t i = 0; i < scene_.passing; ++i) {
      const std::uint32_t id = scene_.entities + (stage_.tick + 7 * i) % (16 * scene_.passing);
      if (stage_.server.world().find(NetworkId{id}) != nullptr) stage_.despawn(NetworkId{id});
      const std::uint32_t other =
          scene_.entities + (stage_.tick + 7 * i + 8) % (16 * scene_.passing);
      if (stage_.server.world().find(NetworkId{other}) == nullptr) {
        stage_.spawn(NetworkId{other}, {.relevance = Relevance::always});
      }
    }
    for (std::uint32_t id = 0; id < scene_.entities; ++id) {
      if (id % scene_.moving_of >= scene_.moving) continue;
      std::vector<std::int64_t>& values = stage_.values[NetworkId{id}];
      const auto heading = static_cast<double>(values[3]) * 3.14159265 / 180;
      values[0] = std::clamp<std::int64_t>(values[0] + std::llround(9 * std::cos(heading)),
                                           -100'000, 100'000);
      values[2] = std::clamp<std::int64_t>(values[2] + std::llround(9 * std::sin(heading)),
                                           -100'000, 100'000);
      if (stage_.tick / 8 % 4 == id % 4) values[3] = (values[3] + 2) % 360;
      stage_.server.world().set(NetworkId{id}, values);
    }
  }
  void serve(std::size_t first, std::size_t step) {
    for (std::size_t i = first; i < stage_.clients.size(); i += step) {
      ConnectionPair& pair = *stage_.clients[i]->pair;
      stage_.server.update(stage_.clients[i]->id, pair.a->connection, pair.now);
    }
  }

  Scene scene_;
  ReplicationStage stage_;
};

void replicate(benchmark::State& state, const Scene& scene, std::size_t threads) {
  Hall hall(scene);
  const std::uint64_t bytes = hall.bytes();
  double seconds = 0;
  for (auto _ : state) {
    const double elapsed = hall.tick(threads);
    seconds += elapsed;
    state.SetIterationTime(elapsed);
  }
  const auto ticks = static_cast<double>(state.iterations());
  state.counters["share of a core at 20 Hz"] = 20 * seconds / ticks;
  state.counters["bytes per snapshot"] =
      static_cast<double>(hall.bytes() - bytes) / ticks / scene.clients;
  state.counters["KiB a client"] = static_cast<double>(hall.memory_bytes()) / 1024 / scene.clients;
}

void copy(benchmark::State& state, const Scene& scene) {
  constexpr std::size_t kLanes = 13;
  const std::vector<LaneValue> from(scene.entities * kLanes, 7);
  std::vector<LaneValue> to(from.size());
  for (auto _ : state) {
    const auto begin = Clock::now();
    for (std::uint32_t i = 0; i < scene.clients; ++i) {
      std::memcpy(to.data(), from.data(), from.size() * sizeof(LaneValue));
      benchmark::DoNotOptimize(to.data());
      benchmark::ClobberMemory();
    }
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - begin).count());
  }
}

/// The snapshot writers of all clients, without the other parts of a server. The writers get the
/// list of changes. Acknowledgements arrive four ticks later.
class Writers {
 public:
  explicit Writers(const Scene& scene)
      : scene_(scene),
        model_(untrained_model(
            {{.name = "walker",
              .lanes = {{.name = "x", .maximum = 65'535},
                        {.name = "y", .maximum = 65'535},
                        {.name = "yaw", .kind = LaneKind::angle, .maximum = 360, .period = 360},
                        {.name = "state", .kind = LaneKind::symbol, .maximum = 7}}}})) {
    for (std::uint32_t i = 0; i < scene.clients; ++i) writers_.emplace_back(model_);
    rows_.push_back({500, 600, 90, 1});
    for (std::uint32_t id = 0; id < scene.entities; ++id) {
      world_.push_back(
          {.id = SliceId{id}, .kind = {}, .values = rows_.back().data(), .since = Tick(1)});
      if (id % scene.moving_of < scene.moving) changed_.push_back(id);
    }
    for (int i = 0; i < 60; ++i) tick();
  }

  /// Returns the bytes of all writers.
  std::size_t tick() {
    ++tick_;
    for (const std::uint32_t i : changed_) {
      rows_.push_back({3 * tick_ % 65'536, 600, 90, 1});
      world_[i].values = rows_.back().data();
      world_[i].since = Tick(tick_);
    }
    std::size_t bytes = 0;
    for (SnapshotWriter& writer : writers_) {
      if (tick_ == 1) {
        writer.begin(Tick(tick_), world_);
      } else {
        writer.begin(Tick(tick_), world_, changed_);
      }
      bytes += writer.write(memory_).size();
      if (tick_ > 4) writer.acknowledge(static_cast<SnapshotNumber>(writer.last_number() - 4));
    }
    return bytes;
  }

 private:
  Scene scene_;
  SnapshotModel model_;
  std::vector<SnapshotWriter> writers_;
  std::vector<EntityState> world_;
  std::deque<std::vector<LaneValue>> rows_;
  std::vector<std::uint32_t> changed_;
  std::vector<std::byte> memory_{400'000};
  std::uint32_t tick_ = 0;
};

void write(benchmark::State& state, const Scene& scene) {
  Writers writers(scene);
  std::size_t bytes = 0;
  for (auto _ : state) bytes += writers.tick();
  const auto snapshots = static_cast<double>(state.iterations()) * scene.clients;
  state.counters["bytes per snapshot"] = static_cast<double>(bytes) / snapshots;
}

void add_writers(const std::string& name, const Scene& scene) {
  benchmark::RegisterBenchmark((name + "/range").c_str(),
                               [=](benchmark::State& state) { write(state, scene); })
      ->Iterations(100)
      ->Unit(benchmark::kMicrosecond);
}

void add(const std::string& name, const Scene& scene) {
  const auto add_threads = [&](const char* subject, std::size_t threads) {
    benchmark::RegisterBenchmark((name + subject).c_str(),
                                 [=](benchmark::State& state) { replicate(state, scene, threads); })
        ->UseManualTime()
        ->Iterations(20)
        ->Repetitions(3)
        ->Unit(benchmark::kMillisecond);
  };
  add_threads("/one thread", 1);
  add_threads("/two threads", 2);
  benchmark::RegisterBenchmark((name + "/memcpy").c_str(),
                               [=](benchmark::State& state) { copy(state, scene); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

void register_replication_benchmarks() {
  add_writers("net/write/16 x 10000 idle", {.clients = 16, .entities = 10'000, .moving = 0});
  add_writers("net/write/16 x 10000 of which 1 moves",
              {.clients = 16, .entities = 10'000, .moving = 1, .moving_of = 10'000});
  add_writers("net/write/16 x 10000 of which 100 move",
              {.clients = 16, .entities = 10'000, .moving = 1});
  add_writers("net/write/64 x 1000 idle", {.moving = 0});
  add_writers("net/write/64 x 1000", {});
  add("net/replicate/64 x 1000", {});
  add("net/replicate/64 x 1000 idle", {.moving = 0});
  add("net/replicate/16 x 10000 idle", {.clients = 16, .entities = 10'000, .moving = 0});
  add("net/replicate/16 x 10000 of which 1 moves",
      {.clients = 16, .entities = 10'000, .moving = 1, .moving_of = 10'000});
  add("net/replicate/16 x 10000, 1 removed and 1 created per tick",
      {.clients = 16, .entities = 10'000, .moving = 0, .passing = 1});
}

}  // namespace muster
