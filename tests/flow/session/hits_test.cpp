// Shots in a whole session: the server confirms the hits that a client saw.
#include <chrono>
#include <cmath>
#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "runtime/world/math.h"
#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

struct Aim {
  Vec3 direction{};
  std::int32_t number = 0;  ///< A shot is fired when this number changes.
};
consteval auto describe(Type<Aim>) {
  return Describe<Aim>("Aim")
      .field<&Aim::direction>("direction", {.minimum = -1, .maximum = 1, .resolution = 0.0001})
      .field<&Aim::number>("number", {.minimum = 0, .maximum = 100'000});
}

/// The network id of the first target of a shot (-1 for none), and the tick of the shot.
struct Verdict {
  std::int32_t first = -1;
  Tick tick;
};
struct Verdicts {
  std::map<std::int32_t, Verdict> server;
  std::map<std::int32_t, Verdict> client;
  std::uint64_t changed = 0;  ///< The number of verdicts that a replay changed.
};
Verdicts& verdicts() {
  static Verdicts all;
  return all;
}

/// Moves rocks in circles at 20 m/s.
void run_rocks(SystemContext& ctx, EntityId self, Transform& at, const HitVolume&) {
  const double angle = ctx.tick().value() / 30.0 * 20 / 15 + ctx.reference(self).network_id;
  at.position = {static_cast<float>(15 * std::cos(angle)), 0,
                 static_cast<float>(15 * std::sin(angle))};
  at.rotation = {0, static_cast<float>(std::sin(angle / 2)), 0,
                 static_cast<float>(std::cos(angle / 2))};
}

void shoot(SystemContext& ctx, EntityId self, Runner& runner, const Transform& at) {
  const Aim& aim = ctx.command<Aim>(self);
  if (aim.number == 0 || aim.number == runner.secret) return;
  runner.secret = aim.number;
  const std::span<const Hit> hits =
      ctx.hits({.shooter = self, .from = at.position, .direction = normalised(aim.direction)});
  const std::int32_t first = hits.empty() ? -1 : ctx.reference(hits.front().entity).network_id;
  auto& log = ctx.is_server() ? verdicts().server : verdicts().client;
  const auto [known, is_new] = log.try_emplace(aim.number, Verdict{first, ctx.tick()});
  const bool is_same_tick = known->second.tick == ctx.tick();
  if (!is_new && is_same_tick && known->second.first != first) ++verdicts().changed;
}

float wall_behind_the_rocks(const World&, Vec3, Vec3, float metres_max) {
  return std::min(metres_max, 40.0F);
}

Game shooting_game() {
  Game game = make_game();
  game.components = components<Replicated, Transform, Runner, Burning, HitVolume>();
  game.commands = commands<Aim>();
  game.systems = systems<shoot>();
  game.server_systems = systems<run_rocks>();
  game.overrides = Overrides().obstacle<wall_behind_the_rocks>();
  return game;
}

const std::string& shooting_build() {
  static const TemporaryFolder folder;
  static const bool is_built = [] {
    MemoryFileSystem files = project_of(shooting_game());
    const std::string_view rock =
        "class: Prefab\nroot:\n  name: rock\n  components:\n  - ReplicatedEntity: {}\n"
        "  - Transform: {}\n  - HitVolume: {radius: 0.5, half_height: 0.5}\n";
    const auto path = AssetPath::parse("things/rock.yaml").value();
    if (!files.write(path, as_bytes(rock))) throw std::runtime_error("cannot write the rock");
    build_project(files, folder.path());
    return true;
  }();
  static_cast<void>(is_built);
  return folder.path();
}

/// The counts of the shots of a match.
struct ShotCounts {
  std::uint64_t shots = 0;
  std::uint64_t hits = 0;    ///< The hits that the client saw.
  std::uint64_t agreed = 0;  ///< The shots with equal verdicts of client and server.
  std::uint64_t moved = 0;   ///< The shots that the server fired in another tick.
  std::string metrics;       ///< The metrics of the server at the end.
};

/// Returns the number of commands whose view claims had this verdict, from the server's metrics.
std::uint64_t claims_with(const std::string& metrics, const std::string& verdict) {
  const std::string name = "muster_game_view_claims_total{verdict=\"" + verdict + "\"} ";
  const std::size_t at = metrics.find(name);
  REQUIRE(at != std::string::npos);
  return std::stoull(metrics.substr(at + name.size()));
}

ShotCounts play_shots(const Game& game, const Link& link) {
  verdicts() = {};
  auto opened = SimulatedMatch::open(game, shooting_build(), {.seed = 71});
  REQUIRE(opened);
  SimulatedMatch& match = *opened.value();
  GameServer& server = match.server();
  for (int i = 0; i < 8; ++i) server.spawn("rock", {}, Transform{});
  server.on_join([&server](PlayerId player) { server.spawn("runner", {.owner = player}); });
  match.add_client(link);
  match.run(4s);
  std::int32_t frame = 0;
  match.on_client_frame([&](GameClient& client, Tick) {
    ++frame;
    std::vector<Vec3> rocks;
    client.each<const HitVolume, const Transform>(
        [&](const HitVolume&, const Transform& at) { rocks.push_back(at.position); });
    if (rocks.empty() || frame % 6 != 0) return;
    // Aims at a rock, or misses it.
    const Vec3 rock = rocks[static_cast<std::size_t>(frame / 6) % rocks.size()];
    const float miss = static_cast<float>(frame / 6 % 7) * 0.25F - 0.75F;
    const Vec3 direction = normalised({rock.x + miss, rock.y + miss / 2, rock.z});
    client.set_command(Aim{direction, frame});
  });
  match.run(60s);
  ShotCounts counts;
  for (const auto& [number, seen] : verdicts().client) {
    const auto found = verdicts().server.find(number);
    if (found == verdicts().server.end()) continue;
    // The next command fires the shot of a late command, with the view of the next command.
    if (found->second.tick != seen.tick) {
      ++counts.moved;
      continue;
    }
    ++counts.shots;
    if (seen.first >= 0) ++counts.hits;
    if (found->second.first == seen.first) ++counts.agreed;
  }
  counts.metrics = server.metrics_text();
  return counts;
}

TEST_CASE(
    "The server's hits match the client's hits with targets at 20 m/s, delay, jitter and loss",
    "[session][flow][lag][sys-60]") {
  const auto link = GENERATE(Link{.delay = 10ms, .jitter = 2ms},
                             Link{.delay = 60ms, .jitter = 10ms, .loss = 0.02},
                             Link{.delay = 120ms, .jitter = 30ms, .loss = 0.05});
  const ShotCounts counts = play_shots(shooting_game(), link);
  CAPTURE(counts.shots, counts.hits, counts.agreed, counts.moved, verdicts().changed);
  CHECK(counts.shots > 500);
  CHECK(counts.hits > 200);
  CHECK(counts.hits < counts.shots - 100);
  CHECK(static_cast<double>(counts.agreed) >= 0.995 * static_cast<double>(counts.shots));
  CHECK(counts.moved <= counts.shots / 20);
  CHECK(verdicts().changed <= counts.shots / 100);
  CAPTURE(counts.metrics);
  CHECK(claims_with(counts.metrics, "accepted") > 1500);
  CHECK(claims_with(counts.metrics, "too old") == 0);
}

TEST_CASE("A game that does not rewind judges shots in the present world", "[session][flow][lag]") {
  Game game = shooting_game();
  game.sync.rewind_max = 0ms;
  const ShotCounts counts = play_shots(game, {.delay = 120ms});
  CAPTURE(counts.shots, counts.hits, counts.agreed);
  CHECK(counts.hits > 200);
  CHECK(counts.agreed < counts.shots / 2);
  CAPTURE(counts.metrics);
  CHECK(claims_with(counts.metrics, "too old") > 1500);
}

}  // namespace
}  // namespace muster
