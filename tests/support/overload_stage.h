// A client whose link is too slow for its world. Measures which entities arrive.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/support/replication_stage.h"

namespace muster {

struct OverloadScene {
  std::uint32_t entities = 400;  ///< The number of entities. All entities move in every tick.
  SnapshotCoder coder = SnapshotCoder::range;
  /// True if the entities are spread over a disc around the view position.
  bool has_view_position = false;
  std::uint16_t longest_ticks = 600;  ///< See `UpdateClass`.
  double loss = 0;
  /// The rate of the link, which queues half a second of data; 0 if the rate is unlimited.
  double link_bytes_per_second = 0;
  std::uint64_t seed = 3;
};

struct OverloadResult {
  double bytes_per_second = 0;
  double updates_per_second = 0;
  double snapshots_per_second = 0;
  std::uint64_t false_despawns = 0;
  double missing = 0;          ///< The mean fraction of entities that the client lacks.
  Duration queue_delay_max{};  ///< The longest wait of a datagram in the queue to the client.
  /// The mean age of each tenth of the entities, nearest tenth first.
  std::vector<double> age_ticks;
  double bytes_per_update() const { return bytes_per_second / updates_per_second; }
};

/// Replicates entities with random movement to one client, with a limit in bytes per second (0 for
/// no limit). Measures after a warm-up.
class OverloadStage {
 public:
  explicit OverloadStage(const OverloadScene& scene, std::uint32_t bytes_per_second)
      : scene_(scene), stage_(scene.seed, options(scene)) {
    const LinkOptions link{
        .latency = std::chrono::milliseconds(25),
        .loss = scene.loss,
        .bytes_per_second = scene.link_bytes_per_second,
        .queue_bytes = static_cast<std::size_t>(scene.link_bytes_per_second / 2)};
    client_ = &stage_.join(link, link, {}, {.wish = {.bytes_per_second = bytes_per_second}});
    if (scene.has_view_position) stage_.server.set_view_position(client_->id, {});
    stage_.step([&] {
      for (std::uint32_t id = 1; id <= scene.entities; ++id) {
        const bool is_near = scene.has_view_position;
        stage_.spawn(NetworkId{id}, {.type = SchemaType{0},
                                     .relevance = is_near ? Relevance::near : Relevance::always,
                                     .position = {.x = distance_of(id)}});
      }
    });
  }

  OverloadResult measure(int settle_ticks, int ticks) {
    for (int i = 0; i < settle_ticks; ++i) step();
    const ClientViewCounters& counters = stage_.server.view(client_->id)->counters();
    const std::uint64_t updated = client_->world.updated;
    const std::uint64_t despawned = client_->world.despawned;
    const std::uint64_t bytes = counters.snapshot_bytes;
    const std::uint64_t snapshots = counters.snapshots;
    OverloadResult result;
    std::vector<double> sums(10);
    std::vector<double> counts(10);
    for (int i = 0; i < ticks; ++i) {
      step();
      result.queue_delay_max = std::max(result.queue_delay_max, queue_delay());
      if (i % 5 == 0) add_ages(sums, counts, result.missing);
    }
    const double seconds = ticks / 60.0;
    result.updates_per_second = static_cast<double>(client_->world.updated - updated) / seconds;
    result.bytes_per_second = static_cast<double>(counters.snapshot_bytes - bytes) / seconds;
    result.snapshots_per_second = static_cast<double>(counters.snapshots - snapshots) / seconds;
    result.false_despawns = client_->world.despawned - despawned;
    result.missing /= (ticks + 4) / 5;
    for (std::size_t k = 0; k < sums.size(); ++k) result.age_ticks.push_back(sums[k] / counts[k]);
    return result;
  }

  void step() {
    stage_.step([&] {
      for (std::uint32_t id = 1; id <= scene_.entities; ++id) walk(id);
    });
  }
  /// The time that the last datagram to the client waited in the link's queue.
  Duration queue_delay() const {
    const ConnectionPair& pair = *client_->pair;
    return pair.network.counters(pair.there_link).queue_delay;
  }
  ReplicationStage& stage() { return stage_; }
  ReplicationStage::Client& client() { return *client_; }

 private:
  static ReplicationServerOptions options(const OverloadScene& scene) {
    ReplicationServerOptions options;
    options.snapshot_ticks = 3;
    options.coder = scene.coder;
    options.checksum_interval = 0;
    options.classes = {{.radius = 500, .longest_ticks = scene.longest_ticks}};
    return options;
  }
  /// Returns the distance of an entity, so that the entities are spread evenly over a disc of
  /// radius 450.
  float distance_of(std::uint32_t id) const {
    return 450 * std::sqrt(static_cast<float>(id) / static_cast<float>(scene_.entities));
  }
  void walk(std::uint32_t id) {
    std::vector<std::int64_t>& values = stage_.values[NetworkId{id}];
    for (std::size_t k = 0; k < 3; ++k) {
      const auto step = static_cast<std::int64_t>(stage_.random.below(41)) - 20;
      values[k] = std::clamp<std::int64_t>(values[k] + step, -100'000, 100'000);
    }
    values[3] = (values[3] + static_cast<std::int64_t>(stage_.random.below(5))) % 360;
    stage_.server.world().set(NetworkId{id}, values);
  }
  void add_ages(std::vector<double>& sums, std::vector<double>& counts, double& missing) const {
    for (std::uint32_t id = 1; id <= scene_.entities; ++id) {
      const auto found = client_->world.entities.find(NetworkId{id});
      if (found == client_->world.entities.end()) {
        missing += 1.0 / scene_.entities;
        continue;
      }
      const std::size_t tenth = (id - 1) * 10 / scene_.entities;
      sums[tenth] += Tick(stage_.tick) - found->second.tick;
      counts[tenth] += 1;
    }
  }

  OverloadScene scene_;
  ReplicationStage stage_;
  ReplicationStage::Client* client_ = nullptr;
};

}  // namespace muster
