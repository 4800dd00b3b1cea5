// Runs recorded delays through Muster's clocks and through the rules of other systems.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/bench/delay_file.h"
#include "tests/bench/jitter_play.h"
#include "tests/bench/lead_play.h"
#include "tests/bench/lead_steps.h"
#include "tests/bench/option_checks.h"
#include "tests/bench/packed_file.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kExitUsage = 2;
/// A figure below this value counts as 0, because it consists only of rounding errors.
constexpr double kZero = 1e-6;

struct Options {
  std::vector<std::string> files;
  double rate_hz = 20;
  double frames_per_second = 0;  ///< 0 for the default: 60 for playback, 120 for the lead.
  double skip_s = 5;
  bool is_lead = false;
  bool is_steps = false;
  bool is_json = false;
  std::string csv;
};

double rounded(double value, double steps = 1000) { return std::round(value * steps) / steps; }

/// The results of one rule on one file, in the order of `columns`.
using Figures = std::vector<double>;

struct Row {
  std::string file;
  double rate_hz = 0;
  std::vector<Figures> rules;
};

struct Table {
  std::vector<std::string> rules;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

std::vector<Figures> means(const std::vector<Row>& rows, std::size_t rules, std::size_t columns) {
  std::vector<Figures> sums(rules, Figures(columns, 0));
  for (const Row& row : rows) {
    for (std::size_t rule = 0; rule < rules; ++rule) {
      for (std::size_t i = 0; i < columns; ++i) {
        sums[rule][i] += row.rules[rule][i] / static_cast<double>(rows.size());
      }
    }
  }
  return sums;
}

Json figures_json(const Table& table, const std::vector<Figures>& rules) {
  Json json = Json::object();
  for (std::size_t rule = 0; rule < table.rules.size(); ++rule) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      json[table.rules[rule]][table.columns[i]] = rounded(rules[rule][i]);
    }
  }
  return json;
}

void print_json(const Options& options, const Table& table) {
  Json json;
  json["kind"] = options.is_steps ? "steps" : options.is_lead ? "lead" : "playback";
  json["files"] = Json::array();
  for (const Row& row : table.rows) {
    json["files"].push_back({{"file", row.file},
                             {"rate_hz", rounded(row.rate_hz)},
                             {"rules", figures_json(table, row.rules)}});
  }
  if (!options.is_steps)
    json["mean"] = figures_json(table, means(table.rows, table.rules.size(), table.columns.size()));
  fmt::print("{}\n", json.dump());
}

void print_line(const Table& table, const std::string& name, const std::vector<Figures>& rules) {
  fmt::print("{}\n", name);
  for (std::size_t rule = 0; rule < table.rules.size(); ++rule) {
    fmt::print("  {:<14}", table.rules[rule]);
    for (const double figure : rules[rule]) fmt::print(" {:>16.2f}", figure);
    fmt::print("\n");
  }
}

/// Prints the figures of the first rule divided by the figures of each other rule.
void print_ratios(const Table& table, const std::string& name, const std::vector<Figures>& rules) {
  fmt::print("{}: {} / each other rule\n", name, table.rules.front());
  for (std::size_t rule = 1; rule < table.rules.size(); ++rule) {
    fmt::print("  {:<14}", table.rules[rule]);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const double theirs = rules[rule][i];
      fmt::print(" {:>16}",
                 std::abs(theirs) < kZero ? "-" : fmt::format("{:.2f}", rules[0][i] / theirs));
    }
    fmt::print("\n");
  }
}

/// Prints the figures, their means if rows are of one kind, and the ratios.
void print_text(const Table& table, bool has_mean) {
  fmt::print("{:<16}", "");
  for (const std::string& column : table.columns) fmt::print(" {:>16}", column);
  fmt::print("\n");
  for (const Row& row : table.rows) {
    print_line(table, fmt::format("{} ({:.1f} Hz)", row.file, row.rate_hz), row.rules);
  }
  if (has_mean && table.rows.size() > 1) {
    print_line(table, "mean", means(table.rows, table.rules.size(), table.columns.size()));
  }
  if (!has_mean) {
    for (const Row& row : table.rows) print_ratios(table, row.file, row.rules);
  } else {
    print_ratios(table, "mean", means(table.rows, table.rules.size(), table.columns.size()));
  }
}

Table play_all(const Options& options, const std::vector<DelayFile>& files, std::string& csv) {
  Table table{.rules = playback_rules(),
              .columns = {"late_percent", "added_ms", "beyond_percent", "stopped_percent"},
              .rows = {}};
  const double fps = options.frames_per_second > 0 ? options.frames_per_second : 60;
  for (const DelayFile& file : files) {
    const SnapshotSeries series = choose_snapshots(file, options.rate_hz);
    Row row{.file = file.name, .rate_hz = 1000 / series.interval_ms, .rules = {}};
    for (const std::string& name : table.rules) {
      const auto rule = make_playback_rule(name, series.interval_ms);
      const PlayResult played =
          play(series, *rule, {.frames_per_second = fps, .skip_ms = options.skip_s * 1000});
      row.rules.push_back(
          {played.late_percent, played.added_ms, played.beyond_percent, played.stopped_percent});
      if (options.csv.empty()) continue;
      for (const PlayedFrame& frame : played.frames) {
        csv += fmt::format("{},{},{:.1f},{:.2f},{:.2f}\n", file.name, name, frame.now_ms,
                           frame.shown_behind_ms, frame.newest_behind_ms);
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table lead_all(const Options& options, const std::vector<DelayFile>& files, std::string& csv) {
  Table table{.rules = lead_rules(),
              .columns = {"early_p50_ms", "early_p99_ms", "starved_per_10000", "reseats"},
              .rows = {}};
  const double fps = options.frames_per_second > 0 ? options.frames_per_second : 120;
  for (const DelayFile& file : files) {
    Row row{.file = file.name, .rate_hz = 60, .rules = {}};
    for (const std::string& name : table.rules) {
      const LeadResult played =
          play_lead(file, name, {.frames_per_second = fps, .skip_ms = options.skip_s * 1000});
      row.rules.push_back({played.early_p50_ms, played.early_p99_ms, played.starved_per_10000,
                           static_cast<double>(played.reseats)});
      if (options.csv.empty()) continue;
      for (const LedTick& tick : played.ticks) {
        csv += fmt::format("{},{},{:.1f},{:.2f},{:.2f}\n", file.name, name, tick.due_ms,
                           tick.lead_ms, tick.early_ms);
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table step_all() {
  Table table{.rules = lead_rules(),
              .columns = {"turns", "overshoot_ms", "settle_ms", "starved_ticks"},
              .rows = {}};
  for (const DelayStep& step : delay_steps()) {
    Row row{.file = std::string(step.name), .rate_hz = 60, .rules = {}};
    for (const std::string& name : table.rules) {
      const StepResult played = play_step(step, name);
      row.rules.push_back({played.turns, played.overshoot_ms, played.settle_ms, played.starved});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

int print(const Options& options, const Table& table) {
  options.is_json ? print_json(options, table) : print_text(table, !options.is_steps);
  return 0;
}

int run(const Options& options) {
  if (options.is_steps) return print(options, step_all());
  std::vector<DelayFile> files;
  for (const std::string& path : options.files) {
    Result<DelayFile> file = load_delays(path);
    if (!file) {
      // A message about a line begins with the path. A message about the disk may lack the path.
      const std::string& text = file.error().message;
      const bool is_named = text.find(path) != std::string::npos;
      fmt::print(stderr, "jitter_lab: {}{}\n", is_named ? "" : path + ": ", text);
      return kExitUsage;
    }
    files.push_back(std::move(file.value()));
  }
  std::string csv = options.is_lead ? "file,rule,due_ms,lead_ms,early_ms\n"
                                    : "file,rule,now_ms,shown_behind_ms,newest_behind_ms\n";
  const Table table =
      options.is_lead ? lead_all(options, files, csv) : play_all(options, files, csv);
  if (!options.csv.empty()) {
    const Result<void> written = write_file(options.csv, as_bytes(csv));
    if (!written) {
      fmt::print(stderr, "jitter_lab: {}: {}\n", options.csv, written.error().message);
      return kExitUsage;
    }
  }
  return print(options, table);
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  muster::Options options;
  CLI::App app(
      "Plays recorded network delays through Muster's playback and command clocks and "
      "through the rules of other systems.");

  app.add_option("FILE", options.files,
                 "CSV files of send_ms,rtt_ms or send_ms,delay_ms, or the same as .zst");
  app.add_option("--rate", options.rate_hz,
                 "snapshots per second; every n-th packet of the file is a snapshot")
      ->check(CLI::Range(1.0, 1000.0))
      ->check(muster::no_nan)
      ->capture_default_str();
  app.add_option("--fps", options.frames_per_second,
                 "frames per second of the client (default: 60, or 120 with --lead)")
      ->check(CLI::Range(1.0, 10'000.0))
      ->check(muster::no_nan);
  app.add_option("--skip", options.skip_s, "seconds at the start that are not measured")
      ->check(CLI::Range(0.0, 3600.0))
      ->check(muster::no_nan)
      ->capture_default_str();
  app.add_flag("--lead", options.is_lead,
               "use the delays for the path to the server, and measure how early commands arrive");
  CLI::Option* const steps = app.add_flag(
      "--steps", options.is_steps,
      "measure how the command clocks follow a sudden change of the delay; without FILE");
  app.add_flag("--json", options.is_json, "print one JSON object");
  app.add_option("--csv", options.csv, "write every frame to this file, for plot_jitter.py");
  app.footer(
      "Columns:\n"
      "  late_percent: snapshots whose tick the clock reached before they arrived\n"
      "  added_ms: mean delay, minus the link's median delay\n"
      "  beyond_percent: frames that show a time after the newest snapshot\n"
      "  stopped_percent: frames in which the clock stopped\n"
      "Columns with --lead:\n"
      "  early_p50_ms, early_p99_ms: the time from a command's arrival to its tick\n"
      "  starved_per_10000: ticks without a command, per 10,000 ticks\n"
      "  reseats: the number of jumps of the clock\n"
      "Columns with --steps, for 20 s after the change:\n"
      "  turns: how often the lead changes its direction\n"
      "  overshoot_ms: the maximum distance of the lead beyond its final value\n"
      "  settle_ms: the time until the lead stays within a tick of its final value\n"
      "  starved_ticks: ticks without a command\n\n"
      "Examples:\n"
      "  jitter_lab tests/bench/traces/stalls.csv\n"
      "  jitter_lab delay_wifi_poor_01.csv.zst delay_5g_road_01.csv.zst --rate 60 --json\n"
      "  jitter_lab tests/bench/traces/stalls.csv --lead\n"
      "  jitter_lab --steps\n"
      "  jitter_lab tests/bench/traces/stalls.csv --csv frames.csv && "
      "tests/bench/plot_jitter.py frames.csv frames.png");
  try {
    for (const char* const other : {"FILE", "--rate", "--fps", "--skip", "--lead", "--csv"}) {
      steps->excludes(app.get_option(other));
    }
    app.parse(argc, argv);
    if (options.files.empty() && !options.is_steps) {
      throw CLI::RequiredError("FILE");
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : muster::kExitUsage;
  }
  return muster::run(options);
}
