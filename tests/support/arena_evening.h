// A match of the arena in one process: the real game with bots, over a simulated network. Equal
// seeds give equal matches.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "content/arena/game/bot.h"
#include "content/arena/game/match_setup.h"
#include "content/arena/game/rules.h"
#include "registry/base/disk_file_system.h"
#include "runtime/session/session_access.h"
#include "runtime/session/simulated_match.h"
#include "tests/support/session_game.h"

namespace muster {

/// The folder of the arena's build, which is made once per program.
inline const std::string& arena_folder() {
  static const TemporaryFolder folder;
  static const bool is_built = [] {
    session_game::build_project(DiskFileSystem::open(MUSTER_SOURCE_DIR "/content/arena").value(),
                                folder.path());
    return true;
  }();
  static_cast<void>(is_built);
  return folder.path();
}

/// A typical bad link with delay, jitter and loss.
inline Link bad_link(double loss, bool may_overtake = false) {
  return {.delay = std::chrono::milliseconds(40),
          .jitter = std::chrono::milliseconds(10),
          .loss = loss,
          .duplicate = 0.01,
          .may_reorder = may_overtake};
}

/// A client with its bot.
struct Seat {
  Seat(GameClient& own, std::uint64_t seed) : client(own), bot(seed) {
    client.on_message<arena::Announcement>([this](const arena::Announcement&) {
      is_still = true;
      bot.stop();
    });
    client.on_spawn([this](EntityId) { ++spawned; });
    client.on_despawn([this](EntityId) { ++despawned; });
  }
  /// Makes bundles load only in `step` from now on.
  void pause_loads() { loads().set_manual(true); }
  SteppedLoads& loads() {
    return static_cast<SteppedLoads&>(SessionAccess::members(client).assets->loads());
  }

  GameClient& client;
  arena::Bot bot;
  bool is_still = false;
  std::uint64_t spawned = 0;
  std::uint64_t despawned = 0;
};

class Evening {
 public:
  explicit Evening(std::uint64_t seed, double loss = 0.05) : seed_(seed), loss_(loss) {
    auto opened =
        SimulatedMatch::open(arena::make_game(), arena_folder(),
                             {.seed = seed, .server = {.level = arena::kLevel, .seed = seed}});
    if (!opened) throw std::runtime_error(opened.error().message);
    match = std::move(opened.value());
    arena::set_up_match(server(), seed);
    match->on_client_frame([this](GameClient& client, Tick) {
      for (const auto& seat : seats) {
        if (&seat->client == &client) seat->bot.play(client, match->edges().now());
      }
    });
  }

  GameServer& server() { return match->server(); }

  Seat& join(bool may_overtake = false, const std::string& build = arena_folder()) {
    GameClient& client =
        match->add_client(bad_link(loss_, may_overtake), arena::make_game(), build, {});
    seats.push_back(std::make_unique<Seat>(client, seed_ * 100 + seats.size()));
    return *seats.back();
  }

  void run(Duration duration) { match->run(duration); }
  /// Ends the match, and runs until all data has arrived.
  void end() {
    arena::end_match(server());
    run(std::chrono::seconds(3));
  }

  /// Returns the first difference between a client's world and the server's world; empty if they
  /// are equal.
  std::string difference(const Seat& seat) {
    const std::string expected = server().world_text(seat.client.player());
    const std::string seen = seat.client.world_text();
    return seen == expected ? "" : "expected\n" + expected + "but sees\n" + seen;
  }

  std::unique_ptr<SimulatedMatch> match;
  std::vector<std::unique_ptr<Seat>> seats;

 private:
  std::uint64_t seed_;
  double loss_;
};

}  // namespace muster
