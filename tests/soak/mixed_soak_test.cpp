// A match with many faults at once: full links, suspended machines, slow loops, bursts of loss,
// outages, clients that return, and floods of malicious datagrams.
#include <array>
#include <chrono>
#include <cmath>

#include <catch2/catch.hpp>

#include "tests/support/mixed_stage.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kMatches = 1;
#else
constexpr std::uint64_t kMatches = 2;
#endif
constexpr int kMatchTicks = 60 * 60;
constexpr std::uint32_t kAlwaysCount = 100;
constexpr std::uint32_t kEntityCount = 160;

/// The fault of a client.
enum class Hardship : std::uint8_t {
  none,
  full_link,
  suspension,
  slow_loop,
  loss,
  rejoin,
  all,
  count
};

class Match {
 public:
  explicit Match(std::uint64_t seed) : stage(seed) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(Hardship::count); ++i) {
      add(static_cast<Hardship>(i));
    }
  }

  void play(int ticks) {
    for (int i = 0; i < ticks && stage.fault.empty(); ++i) {
      for (std::size_t each = 0; each < stage.clients.size(); ++each) harass(each);
      stage.step([&] { live(); });
    }
  }
  /// Ends outages and changes. Then runs until all worlds are equal, for at most a minute.
  void settle() {
    for (const auto& client : stage.clients) {
      stage.net.network.link(client->up).is_down = false;
      stage.net.network.link(client->down).is_down = false;
      if (client->client == nullptr) stage.enter(*client);
    }
    for (int i = 0; i < 60 && stage.fault.empty() && !difference().empty(); ++i) {
      for (int t = 0; t < 60; ++t) stage.step([&] { move_views(); });
    }
  }
  std::string difference() const {
    for (const auto& client : stage.clients) {
      std::string found = stage.difference(*client);
      if (found.empty() && !stage.has_all_events(*client)) found = "an event is missing";
      if (!found.empty()) return "client " + std::to_string(client->number) + " " + found;
    }
    return {};
  }

  MixedStage stage;
  std::array<std::uint64_t, static_cast<std::size_t>(Hardship::count)> hardships{};

 private:
  std::uint64_t chance(std::uint64_t bound) { return stage.random.below(bound); }
  Duration seconds(std::uint64_t low, std::uint64_t high) {
    return std::chrono::milliseconds(1'000 * low + chance(1'000 * (high - low) + 1));
  }

  void add(Hardship hardship) {
    LinkOptions link{.latency = std::chrono::milliseconds(5 + chance(60))};
    LinkOptions down = link;
    Duration loop{};
    const bool has_all = hardship == Hardship::all;
    if (hardship == Hardship::full_link || has_all) {
      down.bytes_per_second = static_cast<double>(2'000 + chance(6'001));
      down.queue_bytes = static_cast<std::size_t>(down.bytes_per_second / 2);
    }
    if (hardship == Hardship::slow_loop || has_all) {
      loop = std::chrono::milliseconds(100 + chance(101));
    }
    if (hardship == Hardship::loss || has_all) {
      for (LinkOptions* each : {&link, &down}) {
        each->jitter = 15ms;
        each->loss = 0.02;
        each->burst_begin = 0.005;
        each->burst_end = 0.1;
      }
    }
    stage.add(link, down, loop);
  }

  void harass(std::size_t index) {
    MixedClient& client = *stage.clients[index];
    const auto hardship = static_cast<Hardship>(index);
    const bool has_all = hardship == Hardship::all;
    if ((hardship == Hardship::suspension || has_all) &&
        stage.net.now > client.suspended_until + 2s && chance(600) == 0) {
      ++hardships[static_cast<std::size_t>(Hardship::suspension)];
      stage.suspend(client, seconds(3, 20));
    }
    if (hardship == Hardship::loss) cut(client);
    if (hardship == Hardship::rejoin && chance(300) == 0) come_or_go(client);
  }
  /// Starts an outage of 20 s in one or both directions.
  void cut(MixedClient& client) {
    LinkOptions& up = stage.net.network.link(client.up);
    LinkOptions& down = stage.net.network.link(client.down);
    if (stage.net.now >= outage_ends_) up.is_down = down.is_down = false;
    // A join that gets no answer for ten seconds ends, so an outage starts only after the join.
    if (!client.is_playing() || stage.net.now < outage_ends_ + 5s || chance(400) != 0) return;
    ++hardships[static_cast<std::size_t>(Hardship::loss)];
    outage_ends_ = stage.net.now + 20s;
    const std::uint64_t directions = 1 + chance(3);
    up.is_down = (directions & 1U) != 0;
    down.is_down = (directions & 2U) != 0;
  }
  void come_or_go(MixedClient& client) {
    ++hardships[static_cast<std::size_t>(Hardship::rejoin)];
    if (client.client != nullptr) {
      stage.leave(client, chance(2) == 0);
    } else {
      stage.enter(client);
    }
  }

  void live() {
    if (flood_left_ == 0 && chance(240) == 0) flood_left_ = 30 + chance(90);
    if (flood_left_ > 0) {
      --flood_left_;
      stage.attacked->hostile_left += chance(40) == 0 ? 3'000U : 60U;
    }
    if (stage.tick == kMatchTicks / 2) stage.begin_map();
    for (std::uint32_t id = 0; id < kEntityCount; ++id) change(id);
    move_views();
    if (stage.tick % 30 == 0) {
      for (const auto& client : stage.clients) stage.send_event(*client);
    }
  }
  void change(std::uint32_t id) {
    ReplicatedWorld& world = stage.replication.world();
    const bool is_always = id < kAlwaysCount;
    const auto found = stage.values.find(NetworkId{id});
    if (found == stage.values.end()) {
      if (stage.tick > kMatchTicks / 2 + 1 && chance(120) != 0) return;
      if (stage.despawned_at.contains(NetworkId{id}) &&
          stage.despawned_at[NetworkId{id}] == stage.tick)
        return;
      ReplicatedEntityOptions options{
          .type = SchemaType{static_cast<std::uint16_t>(id % 2)},
          .owner = static_cast<PlayerId>(1 + id % 9),
          .relevance = is_always ? Relevance::always : Relevance::near,
          .position = {static_cast<float>(chance(400)), static_cast<float>(chance(400)), 0}};
      stage.spawn(NetworkId{id}, options, first_values(options.type));
      return;
    }
    if (chance(3'000) == 0) return stage.despawn(NetworkId{id});
    // Position and heading change in each tick. The points change sometimes.
    std::vector<std::int64_t>& now = found->second;
    for (std::size_t i = 0; i < 2; ++i) {
      now[i] = std::clamp<std::int64_t>(now[i] + static_cast<std::int64_t>(chance(201)) - 100,
                                        -100'000, 100'000);
    }
    now[3] = static_cast<std::int64_t>(chance(360));
    if (now.size() > 8 && chance(20) == 0) now[8] = static_cast<std::int64_t>(chance(201));
    world.set(NetworkId{id}, now);
  }
  std::vector<std::int64_t> first_values(SchemaType type) const {
    return std::vector<std::int64_t>(stage.replication.world().schema().value_count(type), 0);
  }
  void move_views() {
    for (const auto& client : stage.clients) {
      // The view positions stop at the end of the match, so that the entities of interest are
      // known.
      const double angle = std::min<std::uint32_t>(stage.tick, kMatchTicks) * 0.002 +
                           static_cast<double>(client->number);
      stage.set_view_position(*client, {200 + 120 * static_cast<float>(std::cos(angle)),
                                        200 + 120 * static_cast<float>(std::sin(angle)), 0});
    }
  }

  Time outage_ends_{};
  std::uint64_t flood_left_ = 0;
};

/// Plays a match. Returns the first error, or an empty text.
std::string play_match(std::uint64_t seed) {
  Match match(seed);
  match.play(kMatchTicks / 2);
  const std::size_t memory = match.stage.memory_max;
  match.play(kMatchTicks / 2);
  match.settle();
  const MixedStage& stage = match.stage;
  if (!stage.fault.empty()) return stage.fault;
  std::string found = match.difference();
  if (!found.empty()) return found;
  for (const Hardship each : {Hardship::none, Hardship::slow_loop, Hardship::rejoin}) {
    // These links have no loss, and these machines are not suspended.
    const MixedClient& client = *stage.clients[static_cast<std::size_t>(each)];
    const ReplicationClientCounters& counters = client.replication->counters();
    if (counters.resyncs + counters.unknown + counters.late > 0) return "a clean link resynced";
    const ClientViewCounters& view = stage.replication.view(stage.id_of(client))->counters();
    if (view.resyncs + view.malformed + view.unfit > 0) return "a clean link resynced";
  }
  // The world has the same size in both halves.
  if (stage.memory_max > memory + memory / 4) return "the memory grows";
  if (stage.attacked->hostile < 10'000) return "there was no flood";
  for (const Hardship each : {Hardship::suspension, Hardship::loss, Hardship::rejoin}) {
    if (match.hardships[static_cast<std::size_t>(each)] == 0) return "a fault was not tested";
  }
  return {};
}

TEST_CASE(
    "Worlds stay correct with full links, suspensions, slow loops, outages and floods at once",
    "[soak][net][replication]") {
  for (std::uint64_t seed = 1; seed <= kMatches; ++seed) {
    CAPTURE(seed);
    const std::string fault = play_match(seed);
    CAPTURE(fault);
    REQUIRE(fault.empty());
  }
}

/// A longer run: `test_soak "[soak-long]" --rng-seed N` plays twenty matches from seed N on.
TEST_CASE("Worlds stay correct in twenty matches with chosen seeds", "[.][soak-long]") {
  for (std::uint64_t seed = Catch::rngSeed(); seed < Catch::rngSeed() + std::uint64_t{20}; ++seed) {
    CAPTURE(seed);
    const std::string fault = play_match(seed);
    CAPTURE(fault);
    CHECK(fault.empty());
  }
}

}  // namespace
}  // namespace muster
