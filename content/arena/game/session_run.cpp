#include "content/arena/game/session_run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "content/arena/game/match_recording.h"
#include "content/arena/game/session_report.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

namespace {

// Between two frames; a datagram ends the wait.
constexpr Duration kServerWait = std::chrono::milliseconds(4);
constexpr Duration kClientWait = std::chrono::milliseconds(8);
/// A slow replay looks so often whether it shall go on.
constexpr Duration kReplayWait = std::chrono::milliseconds(50);
/// How long a server goes on to say that it is closing, for those who do not hear it at once.
constexpr Duration kGoodbye = std::chrono::milliseconds(500);

/// Whether there are none.
bool tell_failed_loads(const MatchSummary& summary, const Say& complain) {
  if (summary.failed_loads == 0) return true;
  complain(std::to_string(summary.failed_loads) +
           " assets could not be loaded: build the content again, or copy what is missing");
  return false;
}

/// Whether only programs of this machine reach the address.
bool is_loopback(const Address& address) {
  const Address six({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, address.port());
  return address == six || (address.is_ipv4() && address.ip()[12] == 127);
}

}  // namespace

ArenaServerOptions server_options(const ProgramOptions& options) {
  ArenaServerOptions server{.seed = options.seed,
                            .admits_other_content = options.admits_other_content,
                            .worker_count = options.workers};
  if (options.seconds > options.still_seconds) {
    server.still_from_tick =
        static_cast<std::uint32_t>((options.seconds - options.still_seconds) * kTicksPerSecond);
  }
  if (options.clients_per_address) {
    server.clients_per_address = *options.clients_per_address;
  } else if (is_loopback(options.address)) {
    server.clients_per_address = ServerOptions().clients_max;
  }
  return server;
}

Address any_port_for(const Address& server) {
  return server.is_ipv4() ? Address::ipv4({}, 0) : Address();
}

Result<void> run_server(ArenaServer& server, const ProgramOptions& options, DatagramSocket& socket,
                        const Clock& clock, const Person& person, PacketCapture* capture) {
  std::unique_ptr<MatchRecording> recording;
  if (!options.record.empty()) {
    auto created = MatchRecording::create(options.record, server);
    if (!created) return fail(created.error());
    recording = std::move(created).value();
  }
  Result<void> recorded;
  Result<void> captured;
  const auto end_tick = static_cast<std::uint32_t>(options.seconds * kTicksPerSecond);
  const auto frame = [&](bool is_heard) {
    server.frame(clock.now());
    for (const std::string& line : server.take_lines()) {
      if (is_heard && !options.is_json) person.say(line + "\n");
    }
    if (capture != nullptr && captured) captured = capture->write();
    socket.wait(kServerWait);
  };
  while (!person.wants_end() && (options.seconds == 0 || server.tick().value() < end_tick)) {
    frame(true);
    if (recording == nullptr) continue;
    recorded = recording->write();
    if (recorded) continue;
    // The match goes on; nobody keeps what nobody writes.
    person.complain("the recording ends here: " + recorded.error().message);
    recording.reset();
  }
  if (recording != nullptr) recorded = recording->finish();
  recording.reset();
  person.say(server_report(server, options.is_json));
  if (options.shows_world) {
    for (const ArenaClientReport& client : server.clients()) {
      person.say(server.world_of(client.player).text());
    }
  }
  server.close(clock.now());
  for (const Time last = clock.now() + kGoodbye; clock.now() < last;) frame(false);
  if (capture != nullptr && captured) captured = capture->finish();
  return recorded ? captured : recorded;
}

bool run_client(ArenaClient& client, const ProgramOptions& options, DatagramSocket& socket,
                const Clock& clock, const Person& person, PacketCapture* capture) {
  const Time start = clock.now();
  const std::chrono::duration<double> limit(options.seconds);
  Result<void> captured;
  while (!client.is_over()) {
    client.frame();
    for (const std::string& problem : client.take_problems()) person.complain(problem);
    for (const std::string& line : client.take_lines()) {
      if (!options.is_json) person.say(line + "\n");
    }
    if (person.wants_end() || (options.seconds > 0 && clock.now() - start >= limit)) {
      client.leave();
      client.frame();  // Says so.
    }
    if (capture != nullptr && captured) captured = capture->write();
    socket.wait(kClientWait);
  }
  person.say(client_report(client, options.is_json));
  if (const auto world = client.world(); world && options.shows_world) person.say(world->text());
  const std::optional<std::string> complaint = client.complaint();
  if (complaint) person.complain(*complaint);
  if (capture != nullptr && captured) captured = capture->finish();
  if (!captured) person.complain(captured.error().message);
  return tell_failed_loads(client.summary(), person.complain) && !complaint && captured;
}

bool run_replay(MatchReplay& replay, const ProgramOptions& options, const Clock& clock,
                const Wait& wait, const Person& person) {
  const Time start = clock.now();
  const std::chrono::duration<double> limit(options.seconds);
  do {
    for (const std::string& problem : replay.take_problems()) person.complain(problem);
    for (const std::string& line : replay.take_lines()) {
      if (!options.is_json) person.say(line + "\n");
    }
    if (options.speed > 0) {
      const std::chrono::duration<double, Duration::period> due = replay.played() / options.speed;
      const Time when = start + std::chrono::duration_cast<Duration>(due);
      while (clock.now() < when && !person.wants_end()) {
        wait(std::min(when - clock.now(), kReplayWait));
      }
    }
  } while (!person.wants_end() && (options.seconds == 0 || replay.played() < limit) &&
           replay.step());
  person.say(replay_report(replay, clock.now() - start, options.is_json));
  if (options.shows_world) person.say(replay.world().text());
  const std::optional<std::string> complaint = replay.complaint();
  if (complaint) person.complain(*complaint);
  return tell_failed_loads(replay.summary(), person.complain) && !complaint;
}

}  // namespace arena
