// Serves a match of the arena to clients.
//
//     arena_server build/demo 127.0.0.1:7000 --seconds 60
//
// First prints `listening ADDRESS KEY`, which clients need. Ctrl-C has the same effect as the end
// of the match's time. Exit codes: 0 success; 2 wrong usage, unreadable build, no socket, or a
// recording or capture that cannot be written.
#include <chrono>
#include <cstdio>
#include <map>
#include <string>

#include "content/arena/game/match_setup.h"
#include "content/arena/game/program_options.h"
#include "content/arena/game/rules.h"
#include "content/arena/game/session_report.h"

namespace {

/// The time for which a closing server continues to send, so that clients receive the close.
constexpr muster::Duration kGoodbye = std::chrono::milliseconds(500);

int complain(const std::string& message) {
  std::fprintf(stderr, "arena_server: %s\n", message.c_str());
  return 2;
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

using ShotLogs = std::map<muster::PlayerId, arena::ShotLog>;

void serve(muster::GameServer& server, const arena::ProgramOptions& options,
           const muster::StopSignal& stop, ShotLogs& shots) {
  const auto tick_at = [](double seconds) {
    return static_cast<std::uint32_t>(seconds * arena::kTicksPerSecond);
  };
  const bool is_still_wanted = options.seconds > options.still_seconds;
  bool is_still = false;
  while (!stop && (options.seconds == 0 || server.tick().value() < tick_at(options.seconds))) {
    server.run_frame();
    for (const muster::PlayerInfo& player : server.players()) {
      const arena::Gun* const gun = server.get<arena::Gun>(player.view);
      if (gun != nullptr) shots[player.player].note(*gun);
    }
    if (is_still || !is_still_wanted) continue;
    is_still = server.tick().value() >= tick_at(options.seconds - options.still_seconds);
    if (is_still) arena::end_match(server);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = arena::parse_options(arena::Program::server, argc, argv);
  if (!parsed) return complain(parsed.error().message);
  const arena::ProgramOptions& options = parsed.value();
  if (options.wants_help) return print(arena::usage_of(arena::Program::server) + "\n"), 0;
  const muster::StopSignal stop;
  muster::SystemEdges system;
  arena::LossyEdges edges(system, options.loss);
  auto opened = muster::GameServer::open(
      muster::Build::open(options.build, muster::Target::server, arena::make_game()), edges,
      {.listen = options.address,
       .key_file = {},
       .level = arena::kLevel,
       .players_per_address = options.players_per_address(),
       .seed = options.seed,
       .admit_other_content = options.admits_other_content,
       .workers = options.workers,
       .capture_file = options.capture});
  if (!opened) return complain(opened.error().message);
  muster::GameServer& server = *opened.value();
  bool is_written = true;
  server.on_problem([&](const muster::Problem& problem) {
    complain(problem.text);
    is_written = is_written && problem.kind != muster::ProblemKind::unwritten;
  });
  arena::set_up_match(server, options.seed);
  if (!options.record.empty()) {
    const auto recorded = server.record(options.record);
    if (!recorded) return complain(recorded.error().message);
  }
  print("listening " + server.address() + " " + server.public_key() + "\n");
  ShotLogs shots;
  serve(server, options, stop, shots);
  server.stop_recording();
  print(arena::server_report(server, shots, options.is_json));
  for (const muster::PlayerInfo& player : server.players()) {
    if (options.shows_world) print(server.world_text(player.player));
  }
  server.close("the match is over");
  for (const muster::Time last = system.now() + kGoodbye; system.now() < last;) server.run_frame();
  return is_written ? 0 : 2;
}
