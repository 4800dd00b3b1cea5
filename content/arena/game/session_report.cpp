#include "content/arena/game/session_report.h"

#include <muster/content_hash.h>

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "content/arena/game/rules.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game uses most of muster
using nlohmann::ordered_json;

namespace {

double milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

ordered_json json_of(std::uint64_t count, Duration sum, Duration longest) {
  return {{"count", count},
          {"mean_ms", count == 0 ? 0 : milliseconds(sum) / static_cast<double>(count)},
          {"longest_ms", milliseconds(longest)}};
}

std::string hash_of(const std::string& world) {
  return world.empty() ? "" : hash_bytes(as_bytes(world)).to_string();
}

/// Counts the entities in a world's text: the line of an entity begins with its number, and the
/// lines of its fields are indented.
std::size_t entities_of(const std::string& world) {
  std::size_t count = 0;
  bool is_line_start = true;
  for (const char letter : world) {
    count += is_line_start && letter != ' ' ? 1U : 0U;
    is_line_start = letter == '\n';
  }
  return count;
}

ordered_json json_of(const ShotLog& log) {
  ordered_json list = ordered_json::array();
  for (const ShotLog::Shot& shot : log.shots()) {
    list.push_back({shot.tick.value(), shot.target.network_id});
  }
  return list;
}

ordered_json json_of(const GameServer& server, const PlayerInfo& player) {
  const std::string world = server.world_text(player.player);
  return {{"player", static_cast<int>(player.player)},
          {"entities", entities_of(world)},
          {"world", hash_of(world)},
          {"bytes_out", player.bytes_out},
          {"bytes_in", player.bytes_in},
          {"packets_out", player.packets_out},
          {"loss_percent", 100 * player.loss},
          {"snapshots", player.snapshots},
          {"snapshot_bytes", player.snapshot_bytes},
          {"deferred", player.changes_deferred},
          {"choked", player.snapshots_skipped},
          {"resyncs", player.resyncs},
          {"divergences", player.divergences},
          {"round_trip_ms", milliseconds(player.round_trip)}};
}

ordered_json world_json(const GameClient& client) {
  const GameClientMetrics metrics = client.metrics();
  const std::string world = client.world_text();
  return {
      {"world", hash_of(world)},
      {"entities", entities_of(world)},
      {"spawned", metrics.spawned},
      {"despawned", metrics.despawned},
      {"failed_loads", metrics.loads_failed},
      {"shown", metrics.presentations},
      {"effects", {{"played", metrics.effects_played}, {"too_late", metrics.effects_too_late}}}};
}

ordered_json json_of(const GameClient& client, const ClientNotes& notes) {
  const GameClientMetrics metrics = client.metrics();
  ordered_json json = world_json(client);
  json.update(ordered_json{
      {"player", nullptr},
      {"is_still", notes.is_still},
      {"load", json_of(metrics.loads, metrics.load_time, metrics.load_time_max)},
      {"frames", json_of(notes.frames.count, notes.frames.sum, notes.frames.longest)},
      {"snapshots", metrics.snapshots},
      {"snapshot_bytes", metrics.snapshot_bytes},
      {"late", metrics.snapshots_late},
      {"unknown", metrics.snapshots_unknown},
      {"resyncs", metrics.resyncs},
      {"checksums", metrics.checksums},
      {"divergences", metrics.divergences},
      {"malformed", metrics.snapshots_malformed},
      {"bytes_in", metrics.bytes_in},
      {"bytes_out", metrics.bytes_out},
      {"loss_percent", 100 * metrics.loss},
      {"round_trip_ms", milliseconds(metrics.round_trip)},
      {"lead_ms", milliseconds(metrics.lead)},
      {"interpolation_ms", milliseconds(metrics.interpolation_delay)},
      {"corrections", metrics.corrections},
      {"corrections_per_minute",
       60 * static_cast<double>(metrics.corrections) / std::max(notes.played_seconds, 1e-9)},
      {"starved_ticks", metrics.starved_ticks},
      {"shots", json_of(notes.shots)},
      {"end", notes.complaint}});
  if (client.player() != PlayerId::none) json["player"] = static_cast<int>(client.player());
  return json;
}

}  // namespace

void Durations::add(Duration one) {
  ++count;
  sum += one;
  longest = std::max(longest, one);
}

std::string server_report(const GameServer& server, const std::map<PlayerId, ShotLog>& shots,
                          bool is_json) {
  const GameServerMetrics metrics = server.metrics();
  ordered_json json = {{"tick", metrics.tick.value()},
                       {"spawned", metrics.spawned},
                       {"despawned", metrics.despawned},
                       {"clients", ordered_json::array()}};
  for (const PlayerInfo& player : server.players()) {
    const auto fired = shots.find(player.player);
    json["clients"].push_back(json_of(server, player));
    json["clients"].back()["shots"] = json_of(fired == shots.end() ? ShotLog() : fired->second);
  }
  if (is_json) return json.dump() + "\n";
  std::string text = fmt::format("{} ticks, {} entities spawned, {} despawned\n",
                                 metrics.tick.value(), metrics.spawned, metrics.despawned);
  text += "player  entities  kbit/s out  snapshot bytes  lost %  round trip ms  world\n";
  const double seconds = static_cast<double>(metrics.tick.value()) / kTicksPerSecond;
  for (const ordered_json& client : json["clients"]) {
    const double snapshots = std::max(client["snapshots"].get<double>(), 1.0);
    text += fmt::format(
        "{:6}  {:8}  {:10.1f}  {:14.0f}  {:6.1f}  {:13.1f}  {}\n", client["player"].get<int>(),
        client["entities"].get<int>(), client["bytes_out"].get<double>() * 8 / 1000 / seconds,
        client["snapshot_bytes"].get<double>() / snapshots, client["loss_percent"].get<double>(),
        client["round_trip_ms"].get<double>(), client["world"].get<std::string>());
  }
  return text;
}

std::string client_report(const GameClient& client, const ClientNotes& notes, bool is_json) {
  const ordered_json json = json_of(client, notes);
  if (is_json) return json.dump() + "\n";
  const GameClientMetrics metrics = client.metrics();
  return fmt::format(
      "{} entities now; {} spawned, {} despawned; {} presentations shown, {} effects played\n"
      "complete {:.2f} ms after the spawn (mean of {}; longest {:.2f}); longest frame {:.2f} ms\n"
      "{} bytes in, {} out; {:.1f} % lost; {} snapshots; round trip {:.1f} ms\n"
      "{:.1f} ms ahead of the server's state, {:.1f} ms of interpolation, {} corrections\n",
      json["entities"].get<std::uint64_t>(), metrics.spawned, metrics.despawned,
      metrics.presentations, metrics.effects_played, json["load"]["mean_ms"].get<double>(),
      metrics.loads, json["load"]["longest_ms"].get<double>(),
      json["frames"]["longest_ms"].get<double>(), metrics.bytes_in, metrics.bytes_out,
      100 * metrics.loss, metrics.snapshots, milliseconds(metrics.round_trip),
      milliseconds(metrics.lead), milliseconds(metrics.interpolation_delay), metrics.corrections);
}

std::string replay_report(const GameClient& client, const ReplayNotes& notes, bool is_json) {
  const std::uint32_t last = client.metrics().confirmed_tick.value();
  const double times = notes.recorded_seconds / std::max(notes.elapsed_seconds, 1e-9);
  ordered_json json = world_json(client);
  json.update(ordered_json{{"first_tick", notes.first_tick},
                           {"last_tick", last},
                           {"ticks", notes.tick_count},
                           {"recorded_seconds", notes.recorded_seconds},
                           {"elapsed_seconds", notes.elapsed_seconds},
                           {"times_real_time", times},
                           {"is_still", notes.is_still},
                           {"end", notes.complaint}});
  if (is_json) return json.dump() + "\n";
  const GameClientMetrics metrics = client.metrics();
  return fmt::format(
      "{} entities now; {} spawned, {} despawned; {} presentations shown, {} effects played\n"
      "ticks {} to {}: {:.2f} s of the match in {:.3f} s, {:.1f} times real time\n",
      json["entities"].get<std::uint64_t>(), metrics.spawned, metrics.despawned,
      metrics.presentations, metrics.effects_played, notes.first_tick, last, notes.recorded_seconds,
      notes.elapsed_seconds, times);
}

}  // namespace arena
