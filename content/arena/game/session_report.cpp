#include "content/arena/game/session_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster
using nlohmann::ordered_json;

namespace {

double milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

double percent(std::uint64_t part, std::uint64_t rest) {
  return part + rest == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(part + rest);
}

ordered_json json_of(const Durations& durations) {
  const double mean = durations.count == 0 ? 0 : milliseconds(durations.sum) / durations.count;
  return {{"count", durations.count},
          {"mean_ms", mean},
          {"longest_ms", milliseconds(durations.longest)}};
}

ordered_json json_of(const ArenaClientReport& client) {
  return {{"player", client.player},
          {"entities", client.entities},
          {"world", client.world.to_string()},
          {"bytes_out", client.connection.bytes_out},
          {"bytes_in", client.connection.bytes_in},
          {"packets_out", client.connection.packets_out},
          {"loss_percent", percent(client.connection.lost_out, client.connection.delivered)},
          {"snapshots", client.view.snapshots},
          {"snapshot_bytes", client.view.snapshot_bytes},
          {"held", client.view.held},
          {"choked", client.view.choked},
          {"resyncs", client.view.resyncs},
          {"divergences", client.view.divergences},
          {"round_trip_ms", client.round_trip_ms}};
}

ordered_json json_of(const ArenaClient& client) {
  const ConnectionCounters net = client.connection().value_or(ConnectionCounters{});
  const auto world = client.world();
  ordered_json json = {
      {"player", nullptr},
      {"world", world ? world->hash().to_string() : ""},
      {"entities", world ? world->entity_count() : 0},
      {"spawned", client.summary().spawned},
      {"despawned", client.summary().despawned},
      {"failed_loads", client.summary().failed_loads},
      {"is_still", client.summary().is_still},
      {"load", json_of(client.summary().completion)},
      {"frames", json_of(client.frames())},
      {"shown", client.shown_count()},
      {"effects", {{"played", client.effects().played}, {"too_late", client.effects().too_late}}},
      {"snapshots", client.replicated().snapshots},
      {"snapshot_bytes", client.replicated().snapshot_bytes},
      {"late", client.replicated().late},
      {"unknown", client.replicated().unknown},
      {"resyncs", client.replicated().resyncs},
      {"checksums", client.replicated().checksums},
      {"divergences", client.replicated().divergences},
      {"malformed", client.replicated().malformed},
      {"bytes_in", net.bytes_in},
      {"bytes_out", net.bytes_out},
      {"loss_percent", percent(net.lost_out, net.delivered)},
      {"round_trip_ms", client.round_trip_ms()},
      {"end", client.complaint().value_or("")}};
  if (client.player()) json["player"] = *client.player();
  return json;
}

}  // namespace

std::string server_report(ArenaServer& server, bool is_json) {
  const std::vector<ArenaClientReport> clients = server.clients();
  if (is_json) {
    ordered_json json = {{"tick", server.tick().value()},
                         {"spawned", server.sent().spawned},
                         {"despawned", server.sent().despawned},
                         {"clients", ordered_json::array()}};
    for (const ArenaClientReport& client : clients) json["clients"].push_back(json_of(client));
    return json.dump() + "\n";
  }
  std::string text =
      fmt::format("{} ticks, {} entities spawned, {} despawned\n", server.tick().value(),
                  server.sent().spawned, server.sent().despawned);
  text += "player  entities  kbit/s out  snapshot bytes  lost %  round trip ms  world\n";
  for (const ArenaClientReport& client : clients) {
    const double seconds = static_cast<double>(server.tick().value()) / kTicksPerSecond;
    text += fmt::format("{:6}  {:8}  {:10.1f}  {:14.0f}  {:6.1f}  {:13.1f}  {}\n", client.player,
                        client.entities,
                        static_cast<double>(client.connection.bytes_out) * 8 / 1000 / seconds,
                        static_cast<double>(client.view.snapshot_bytes) /
                            static_cast<double>(std::max<std::uint64_t>(client.view.snapshots, 1)),
                        percent(client.connection.lost_out, client.connection.delivered),
                        client.round_trip_ms, client.world.to_string());
  }
  return text;
}

std::string client_report(const ArenaClient& client, bool is_json) {
  const ordered_json json = json_of(client);
  if (is_json) return json.dump() + "\n";
  return fmt::format(
      "{} entities here; {} came, {} went; {} presentations shown, {} effects played\n"
      "complete {:.2f} ms after they came (mean of {}; longest {:.2f}); longest frame {:.2f} ms\n"
      "{} bytes in, {} out; {:.1f} % lost; {} snapshots; round trip {:.1f} ms\n",
      json["entities"].get<std::uint64_t>(), client.summary().spawned, client.summary().despawned,
      client.shown_count(), client.effects().played, json["load"]["mean_ms"].get<double>(),
      client.summary().completion.count, json["load"]["longest_ms"].get<double>(),
      json["frames"]["longest_ms"].get<double>(), json["bytes_in"].get<std::uint64_t>(),
      json["bytes_out"].get<std::uint64_t>(), json["loss_percent"].get<double>(),
      client.replicated().snapshots, client.round_trip_ms());
}

std::string replay_report(const MatchReplay& replay, Duration took, bool is_json) {
  const WorldValues world = replay.world();
  const double recorded_s = milliseconds(replay.played()) / 1000;
  const double took_s = milliseconds(took) / 1000;
  const double times = recorded_s / std::max(took_s, 1e-9);
  if (is_json) {
    const ordered_json json = {
        {"first_tick", replay.first_tick()},
        {"last_tick", replay.tick()},
        {"ticks", replay.tick_count()},
        {"recorded_seconds", recorded_s},
        {"took_seconds", took_s},
        {"times_real_time", times},
        {"world", world.hash().to_string()},
        {"entities", world.entity_count()},
        {"spawned", replay.summary().spawned},
        {"despawned", replay.summary().despawned},
        {"failed_loads", replay.summary().failed_loads},
        {"is_still", replay.summary().is_still},
        {"shown", replay.shown_count()},
        {"effects", {{"played", replay.effects().played}, {"too_late", replay.effects().too_late}}},
        {"end", replay.complaint().value_or("")}};
    return json.dump() + "\n";
  }
  return fmt::format(
      "{} entities here; {} came, {} went; {} presentations shown, {} effects played\n"
      "ticks {} to {}: {:.2f} s of the match in {:.3f} s, {:.1f} times real time\n",
      world.entity_count(), replay.summary().spawned, replay.summary().despawned,
      replay.shown_count(), replay.effects().played, replay.first_tick(), replay.tick(), recorded_s,
      took_s, times);
}

}  // namespace arena
