// Plays matches over recorded delays with recorded inputs, and measures the results for the
// players.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/bench/option_checks.h"
#include "tests/bench/packed_file.h"
#include "tests/bench/sync_play.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitInternal = 3;
constexpr std::uint32_t kLabClientsMax = 64;

struct Options {
  std::string model = "owner";
  std::string rules = "muster";
  std::vector<std::string> delays;
  std::vector<std::string> inputs;
  double loss_percent = 0;
  std::uint32_t clients = 0;
  double seconds = 60;
  double skip_seconds = 5;
  double frames_per_second = 60;
  std::uint64_t seed = 1;
  bool is_json = false;
  std::string csv;
};

double rounded(double value, double steps = 1000) { return std::round(value * steps) / steps; }
double ratio(std::uint64_t part, std::uint64_t whole, double scale = 1) {
  return whole == 0 ? 0 : scale * static_cast<double>(part) / static_cast<double>(whole);
}

Json to_json(const Options& options, std::uint32_t clients, const SyncResult& result) {
  Json json;
  json["model"] = options.model;
  json["rules"] = options.rules;
  json["clients"] = clients;
  json["seconds"] = options.seconds;
  json["seed"] = options.seed;
  json["loss_percent"] = options.loss_percent;
  json["verified"] = result.is_verified;
  if (!result.difference.empty()) json["difference"] = result.difference;
  json["states_compared"] = result.states_compared;
  json["states_deferred"] = result.states_deferred;
  const double minutes = std::max(result.client_minutes, 1e-9);
  json["corrections"] = result.corrections;
  json["corrections_per_minute"] = rounded(static_cast<double>(result.corrections) / minutes);
  json["resimulated_ticks_per_tick"] =
      rounded(ratio(result.replayed_ticks, result.predicted_ticks));
  json["late_snapshot_share"] = rounded(ratio(result.late_snapshots, result.snapshots), 1e6);
  json["stopped_frame_share"] = rounded(result.stopped_share, 1e6);
  json["interpolation_delay_ms_mean"] = rounded(result.interpolation_delay_ms_mean);
  json["lead_ticks_p50"] = rounded(result.lead_ticks_p50);
  json["lead_ticks_p99"] = rounded(result.lead_ticks_p99);
  json["starved_ticks_per_10000"] = rounded(ratio(result.starved_ticks, result.ticks, 10'000));
  json["presses"] = result.presses;
  json["presses_lost"] = result.presses_lost;
  json["presses_doubled"] = result.presses_doubled;
  json["presses_disconnected"] = result.presses_disconnected;
  json["commands"] = result.commands;
  const auto per_command = [&](double bits) {
    return rounded(result.commands == 0 ? 0 : bits / static_cast<double>(result.commands));
  };
  json["command_bits_mean"] = per_command(result.command_bits);
  json["view_claim_bits_mean"] = per_command(result.claim_bits);
  json["shown_error_mm_p50"] = rounded(result.shown_error_mm_p50);
  json["shown_error_mm_p99"] = rounded(result.shown_error_mm_p99);
  json["others_error_mm_p99"] = rounded(result.others_error_mm_p99);
  json["shots"] = result.shots;
  json["hits"] = result.hits;
  json["shots_moved"] = result.shots_moved;
  json["hit_agreement"] =
      result.shots == 0 ? Json() : Json(rounded(ratio(result.shots_agreed, result.shots), 1e6));
  json["shots_displaced"] = result.shots_displaced;
  json["displaced_disagreed"] = result.displaced_disagreed;
  json["effects"] = result.effects;
  json["effects_doubled"] = result.effects_doubled;
  json["effects_lost"] = result.effects_lost;
  json["effects_undone"] = result.effects_undone;
  json["clock_jumps"] = result.clock_jumps;
  json["reconnects"] = result.reconnects;
  json["world_hash"] = fmt::format("{:016x}", result.world_hash);
  return json;
}

bool write_course(const Options& options, const SyncResult& result) {
  std::string csv = "seconds,delay_ms,lead_ticks,shown_behind_ms,others_error_mm,corrections\n";
  for (const SyncFrame& one : result.course) {
    csv += fmt::format("{:.3f},{:.2f},{:.3f},{:.2f},{:.2f},{}\n", one.seconds, one.delay_ms,
                       one.lead_ticks, one.shown_behind_ms, one.shown_error_mm, one.corrections);
  }
  const Result<void> written = write_file(options.csv, as_bytes(csv));
  if (!written) {
    fmt::print(stderr, "sync_lab: {}: {}\n", options.csv, written.error().message);
  }
  return written.has_value();
}

/// A message about a line begins with the path. A message about the disk may lack the path.
int complain_of(const std::string& path, const std::string& text) {
  const bool is_named = text.find(path) != std::string::npos;
  fmt::print(stderr, "sync_lab: {}{}\n", is_named ? "" : path + ": ", text);
  return kExitUsage;
}

int run(const Options& options) {
  SyncPlayOptions play{
      .rules = options.rules == "fpssample" ? SyncRules::fpssample : SyncRules::muster,
      .loss = options.loss_percent / 100,
      .seconds = options.seconds,
      .skip_seconds = std::min(options.skip_seconds, options.seconds / 2),
      .frames_per_second = options.frames_per_second,
      .seed = options.seed};
  for (const std::string& path : options.delays) {
    Result<DelayFile> file = load_delays(path, {.packets = 1, .arrived = 1});
    if (!file) return complain_of(path, file.error().message);
    play.delays.push_back(std::move(file.value()));
  }
  for (const std::string& path : options.inputs) {
    Result<std::vector<InputRecording>> players = load_players(path);
    if (!players) return complain_of(path, players.error().message);
    for (InputRecording& one : players.value()) play.inputs.push_back(std::move(one));
  }
  const auto wanted = static_cast<std::uint32_t>(std::min<std::size_t>(play.inputs.size(), 8));
  play.clients = options.clients > 0 ? options.clients : std::max(wanted, 2U);
  const SyncResult result = play_sync(play);
  if (!options.csv.empty() && !write_course(options, result)) return kExitUsage;
  const Json json = to_json(options, play.clients, result);
  if (options.is_json) {
    fmt::print("{}\n", json.dump());
  } else {
    for (const auto& [key, value] : json.items()) fmt::print("{:<28} {}\n", key, value.dump());
  }
  return result.is_verified ? 0 : kExitFailed;
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("--model", options.model, "the sync model")
      ->check(CLI::IsMember({"owner"}))
      ->capture_default_str();
  app.add_option("--rules", options.rules,
                 "muster, or FPSSample's clocks with three commands per packet")
      ->check(CLI::IsMember({"muster", "fpssample"}))
      ->capture_default_str();
  app.add_option("--delays", options.delays,
                 "CSV files of send_ms,rtt_ms or send_ms,delay_ms, or the same as .zst")
      ->required();
  app.add_option("--inputs", options.inputs,
                 "CSV files of a first-person game or a fighting game, or the same as .zst")
      ->required();
  app.add_option("--loss", options.loss_percent, "percent of lost datagrams in each direction")
      ->check(CLI::Range(0.0, 100.0))
      ->check(no_nan);
  app.add_option("--clients", options.clients,
                 "number of players (default: as many as in the inputs, from 2 to 8)")
      ->check(not_below_zero)
      ->check(CLI::Range(1U, kLabClientsMax));
  app.add_option("--seconds", options.seconds, "duration of the match")
      ->check(CLI::Range(1.0, 86'400.0))
      ->check(no_nan)
      ->capture_default_str();
  app.add_option("--skip", options.skip_seconds, "seconds at the start that are not measured")
      ->check(CLI::Range(0.0, 3600.0))
      ->check(no_nan)
      ->capture_default_str();
  app.add_option("--fps", options.frames_per_second,
                 "frames per second of the clients, at most 240")
      ->check(CLI::Range(1.0, 240.0))
      ->check(no_nan)
      ->capture_default_str();
  app.add_option("--seed", options.seed, "seed of the losses and of the world")
      ->check(not_below_zero)
      ->capture_default_str();
  app.add_flag("--json", options.is_json, "print one JSON object");
  app.add_option("--csv", options.csv, "write the first client's frames, for plot_sync.py");
}

constexpr const char* kNotes =
    "A server and its clients run in one process. Client i uses the delay file and the inputs\n"
    "with index i modulo their number. A recording that ends begins again. Each datagram gets\n"
    "the delay that the file has at that moment, in both directions: a recorded round trip\n"
    "counts as the delay of one direction.\n"
    "The inputs drive characters that walk, jump, turn and shoot at 60 ticks per second.\n\n"
    "Fields:\n"
    "  verified: true if each state that a client confirmed equals the server's state of that\n"
    "    tick\n"
    "  lead_ticks: the predicted time minus the server's time\n"
    "  interpolation_delay_ms_mean: the time by which the shown positions of other players are\n"
    "    behind the server, minus the file's median delay\n"
    "  command_bits_mean, view_claim_bits_mean: bits sent for each command, copies included. A\n"
    "    view claim reports what the player saw, so that the server can judge hits\n"
    "  presses_lost, presses_doubled: counted by button and client, after all commands have\n"
    "    arrived\n"
    "  reconnects: connections that were lost for 15 s and made again by the same player\n"
    "  presses_disconnected: presses in flight when a client gave up its connection\n"
    "  shown_error_mm: shown position of the own character, minus the server's position of it at\n"
    "    that tick\n"
    "  shots: fired in the same tick on both sides. hit_agreement: the share of them with the\n"
    "    same verdict. shots_moved: shots of the server that the client fired in another tick or\n"
    "    did not fire\n"
    "  shots_displaced: the shots of `shots` whose rays differ between client and server, because\n"
    "    the client predicted its own character wrongly. displaced_disagreed: those of them with\n"
    "    different verdicts\n"
    "  effects: effects of shots, on each client. effects_undone: predicted, but the server did\n"
    "    not confirm the shot. effects_doubled, effects_lost: effects that clients played too\n"
    "    often, or did not play\n\n"
    "Exit codes: 0 verified, 1 not verified, 2 usage or unreadable input, 3 internal error.\n\n"
    "Examples:\n"
    "  sync_lab --delays tests/bench/traces/stalls.csv --inputs "
    "tests/bench/inputs/made_60hz_01.csv\n"
    "  sync_lab --rules fpssample --delays delay_5g_road_01.csv.zst --inputs "
    "fps_60hz_03.csv.zst --loss 5 --json\n"
    "  sync_lab --delays wifi.csv --inputs fight_4p_01.csv.zst --csv frames.csv && "
    "tests/bench/plot_sync.py frames.csv frames.png";

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  muster::Options options;
  CLI::App app(
      "Plays matches over recorded delays with recorded inputs: owner prediction with Muster's "
      "rules or with FPSSample's.");
  muster::add_options(app, options);
  app.footer(muster::kNotes);
  try {
    app.parse(argc, argv);
    return muster::run(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : muster::kExitUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "sync_lab: {}\n", error.what());
    return muster::kExitInternal;
  }
}
