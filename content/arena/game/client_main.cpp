// Joins a match of the arena as a bot, or plays a recorded match, and prints a report.
//
//     arena_client build/demo 127.0.0.1:7000 KEY
//     arena_client build/demo --play match.mrec --speed max
//
// Ctrl-C has the same effect as the end of the match's time. Exit codes: 0 the match or the time
// has ended; 1 the connection was lost or refused, an asset could not be loaded, or the recording
// or capture is incomplete; 2 wrong usage, unreadable build or recording, or no socket.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "content/arena/game/bot.h"
#include "content/arena/game/program_options.h"
#include "content/arena/game/rules.h"
#include "content/arena/game/session_report.h"

namespace {

using std::chrono::milliseconds;

/// The time between two frames, and between two reads of the clock during a slow replay.
constexpr muster::Duration kFrame = milliseconds(8);
constexpr muster::Duration kReplayWait = milliseconds(50);
/// A client that leaves repeats its goodbye message for this time.
constexpr muster::Duration kGoodbye = milliseconds(100);
/// The prefab that is shown in place of a presentation that cannot be loaded.
constexpr const char* kPlaceholder = "Assets/Prefabs/Presentation/Crate.prefab";

int complain(const std::string& message) {
  std::fprintf(stderr, "arena_client: %s\n", message.c_str());
  return 2;
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

double seconds_of(muster::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Makes the client print each spawn, each despawn, each announcement and each problem.
void listen(muster::GameClient& client, bool is_quiet, bool& is_still, bool& is_written) {
  const auto print_change = [&client, is_quiet](const char* what, muster::EntityId id) {
    if (is_quiet) return;
    print(what + std::to_string(client.reference(id).network_id) + " " +
          std::string(client.asset_path(id)) +
          (client.is_mine(id) ? ", owned by this client\n" : "\n"));
  };
  client.on_spawn([print_change](muster::EntityId id) { print_change("spawned   ", id); });
  client.on_despawn([print_change](muster::EntityId id) { print_change("despawned ", id); });
  client.on_message<arena::Announcement>([&, is_quiet](const arena::Announcement& announced) {
    is_still = true;
    if (!is_quiet) print(std::string(announced.text.view()) + "\n");
  });
  client.on_problem([&is_written](const muster::Problem& problem) {
    if (problem.kind == muster::ProblemKind::mispredicted) return;  // The report has their number.
    complain(problem.text);
    is_written = is_written && problem.kind != muster::ProblemKind::unwritten;
  });
}

bool has_all_loads(const muster::GameClient& client) {
  const std::uint64_t failed = client.metrics().loads_failed;
  if (failed == 0) return true;
  complain(std::to_string(failed) +
           " assets could not be loaded: build the content again, or copy what is missing");
  return false;
}

int follow(const muster::Result<muster::Build>& build, muster::Edges& edges,
           const arena::ProgramOptions& options, const muster::StopSignal& stop) {
  auto opened = muster::GameClient::connect(build, edges,
                                            {.server = options.address,
                                             .key = options.key,
                                             .resume_timeout = std::chrono::seconds(5),
                                             .placeholder = kPlaceholder,
                                             .capture_file = options.capture});
  if (!opened) return complain(opened.error().message);
  muster::GameClient& client = *opened.value();
  arena::ClientNotes notes;
  bool is_written = true;
  listen(client, options.is_json, notes.is_still, is_written);
  arena::Bot bot(options.seed);
  const muster::Time start = edges.now();
  while (!client.is_over()) {
    const muster::Time now = edges.now();
    if (notes.is_still) bot.stop();
    bot.play(client, now);
    client.frame(now);
    notes.frames.add(edges.now() - now);
    client.each<const arena::Gun>([&](muster::EntityId id, const arena::Gun& gun) {
      if (client.is_mine(id)) notes.shots.note(gun);
    });
    notes.played_seconds = seconds_of(now - start);
    if (stop || (options.seconds > 0 && notes.played_seconds >= options.seconds)) client.leave();
    std::this_thread::sleep_for(kFrame);
  }
  for (const muster::Time last = edges.now() + kGoodbye; edges.now() < last;) {
    client.run_frame();
    std::this_thread::sleep_for(kFrame);
  }
  if (!client.end().is_good) notes.complaint = client.end().text;
  print(arena::client_report(client, notes, options.is_json));
  if (options.shows_world) print(client.world_text());
  if (!notes.complaint.empty()) complain(notes.complaint);
  return has_all_loads(client) && notes.complaint.empty() && is_written ? 0 : 1;
}

int play(const muster::Result<muster::Build>& build, muster::Edges& edges,
         const arena::ProgramOptions& options, const muster::StopSignal& stop) {
  auto opened = muster::GameClient::play_recording(
      build, edges, options.play, {.placeholder = kPlaceholder, .loading_threads = 0});
  if (!opened) return complain(opened.error().message);
  muster::GameClient& client = *opened.value();
  arena::ReplayNotes notes;
  bool is_written = true;
  listen(client, options.is_json, notes.is_still, is_written);
  const double ticks = std::min(options.from_seconds * arena::kTicksPerSecond, 4e9);
  const std::uint32_t from = client.first_tick().value() + static_cast<std::uint32_t>(ticks);
  if (options.from_seconds > 0) {
    const auto sought = client.seek(muster::Tick(from));
    if (!sought) return complain(options.play + ": " + sought.error().message);
  }
  const muster::Time start = edges.now();
  const auto tick_of = [&] { return client.metrics().confirmed_tick.value(); };
  // The client's time is the time of the recording.
  muster::Time now = start;
  for (std::uint32_t last = 0; !client.is_over() && !stop;) {
    now += muster::Duration(std::chrono::seconds(1)) / arena::kTicksPerSecond;
    client.frame(now);
    const bool is_loading = client.state() == muster::GameClientState::loading;
    if (is_loading || tick_of() == last || tick_of() < from) continue;
    last = tick_of();
    if (notes.tick_count++ == 0) notes.first_tick = last;
    notes.recorded_seconds = static_cast<double>(last - notes.first_tick) / arena::kTicksPerSecond;
    const bool is_enough = options.seconds > 0 && notes.recorded_seconds >= options.seconds;
    if (options.speed == 0 && is_enough) break;
    if (options.speed == 0) continue;
    const std::chrono::duration<double, muster::Duration::period> due(notes.recorded_seconds /
                                                                      options.speed * 1e9);
    const muster::Time when = start + std::chrono::duration_cast<muster::Duration>(due);
    while (edges.now() < when && !stop) {
      std::this_thread::sleep_for(std::min(when - edges.now(), kReplayWait));
    }
    if (is_enough) break;
  }
  notes.elapsed_seconds = seconds_of(edges.now() - start);
  if (client.is_over() && !client.end().is_good) notes.complaint = client.end().text;
  if (notes.tick_count == 0) return complain(options.play + ": " + notes.complaint);
  print(arena::replay_report(client, notes, options.is_json));
  if (options.shows_world) print(client.world_text());
  if (!notes.complaint.empty()) complain(notes.complaint);
  return has_all_loads(client) && notes.complaint.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = arena::parse_options(arena::Program::client, argc, argv);
  if (!parsed) return complain(parsed.error().message);
  const arena::ProgramOptions& options = parsed.value();
  if (options.wants_help) return print(arena::usage_of(arena::Program::client) + "\n"), 0;
  const muster::StopSignal stop;
  muster::SystemEdges system;
  arena::LossyEdges edges(system, options.loss);
  const auto build = muster::Build::open(options.build, muster::Target::client, arena::make_game());
  return options.play.empty() ? follow(build, edges, options, stop)
                              : play(build, edges, options, stop);
}
