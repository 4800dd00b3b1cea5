// Random changes of a server's world, and very bad links.
#pragma once

#include <chrono>
#include <set>

#include "tests/support/replication_stage.h"

namespace muster {

/// Makes random changes of a world in each tick.
class ReplicationCourse {
 public:
  explicit ReplicationCourse(ReplicationStage& stage) : stage_(stage) {}

  void live() {
    Random& random = stage_.random;
    if (random.below(400) == 0) {
      stage_.server.begin_map(bytes_of({1, 2, 3}));
      ++maps_;
      stage_.values.clear();
    }
    std::set<NetworkId> gone;
    for (std::uint64_t i = random.below(3); i > 0 && !stage_.values.empty(); --i) {
      if (random.below(3) != 0) continue;
      const NetworkId id = any_id();
      gone.insert(id);
      stage_.despawn(id);
    }
    for (std::uint64_t i = random.below(3); i > 0 && stage_.values.size() < 40; --i) {
      const NetworkId id{static_cast<std::uint32_t>(random.below(60))};
      if (gone.contains(id) || stage_.values.contains(id)) continue;
      stage_.spawn(id, {.type = SchemaType{static_cast<std::uint16_t>(random.below(2))},
                        .owner = static_cast<PlayerId>(random.below(4)),
                        .relevance = Relevance::always});
    }
    for (const auto& [id, values] : stage_.values) {
      if (random.below(4) == 0) stage_.stir(id);
      if (random.below(200) == 0) {
        stage_.server.world().set_owner(id, static_cast<PlayerId>(random.below(4)));
      }
    }
  }

  /// The number of maps that were started.
  std::uint64_t maps() const { return maps_; }

 private:
  NetworkId any_id() {
    auto at = stage_.values.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(stage_.random.below(stage_.values.size())));
    return at->first;
  }

  ReplicationStage& stage_;
  std::uint64_t maps_ = 0;
};

inline LinkOptions bad_link(Random& random) {
  LinkOptions link{.latency = std::chrono::milliseconds(random.below(120)),
                   .jitter = std::chrono::milliseconds(random.below(40)),
                   .loss = static_cast<double>(random.below(25)) / 100,
                   .duplicate = static_cast<double>(random.below(5)) / 100};
  if (random.below(3) == 0) {
    link.burst_begin = 0.01;
    link.burst_end = 0.15;
  }
  return link;
}

/// Returns the first error in the worlds of a stage; empty if every client's world equals the
/// server's world.
inline std::string fault_of(const ReplicationStage& stage, std::span<const PlayerId> players) {
  for (std::size_t i = 0; i < stage.clients.size(); ++i) {
    const ReplicationStage::Client& client = *stage.clients[i];
    const ReplicationClientCounters& counters = client.replication->counters();
    if (counters.malformed != 0) return "honest data was refused";
    if (counters.divergences != 0 || !stage.server_log.all.empty()) return "a divergence";
    if (client.replication->phase() != ReplicationPhase::playing) return "a client does not play";
    const std::string difference = stage.difference(client, players[i]);
    if (!difference.empty()) return difference;
  }
  return {};
}

/// Runs a random match: two clients on bad links, one client that joins late, and one that leaves.
/// Then changes stop, and the worlds must become equal within half a minute. Returns the remaining
/// error. The limit is long, because a bad period of a link may last for seconds.
inline std::string play_course(std::uint64_t seed) {
  ReplicationStage stage(seed);
  ReplicationCourse course(stage);
  const auto join = [&](PlayerId player) {
    const LinkOptions there = bad_link(stage.random);
    const LinkOptions back = bad_link(stage.random);
    stage.join(there, back, {.player = player});
  };
  join(PlayerId{0});
  join(PlayerId{1});
  for (int i = 0; i < 240; ++i) {
    if (i == 100) join(PlayerId{2});
    if (i == 150) stage.leave(1);
    stage.step([&] { course.live(); });
  }
  constexpr std::array<PlayerId, 2> kPlayers = {PlayerId{0}, PlayerId{2}};
  std::string fault = "nothing was compared";
  for (int i = 0; i < 30 && !fault.empty(); ++i) {
    stage.run(60);
    fault = fault_of(stage, kPlayers);
  }
  return fault;
}

}  // namespace muster
