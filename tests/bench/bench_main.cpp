// Runs the benchmarks and prints the time of each subject as a ratio to the times of its peers. A
// benchmark has the name `room/case/subject`. The subjects listed below are the peers of the other
// subjects in the same case. Times are medians of the repetitions.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "registry/base/mapping_guard.h"
#include "tests/bench/bench.h"

namespace {

constexpr std::array<std::string_view, 24> kPeers = {"copy",
                                                     "yaml-cpp",
                                                     "find+grep",
                                                     "ripgrep",
                                                     "zstd -T2",
                                                     "raw zstd",
                                                     "memcpy",
                                                     "array and probe",
                                                     "PhysFS",
                                                     "plain arrays",
                                                     "forward",
                                                     "raw read",
                                                     "read + raw zstd",
                                                     "plain calls",
                                                     "batched calls",
                                                     "PhysFS and CRC",
                                                     "ENet",
                                                     "raw zstd, 2 threads",
                                                     "raw zstd and copies",
                                                     "world per shot",
                                                     "arrays per shot",
                                                     "capture",
                                                     "8 ticks forward",
                                                     "a 60 Hz frame"};

struct Row {
  std::string group;
  std::string subject;
  double seconds = 0;
};

// Prints like the default reporter, and stores the medians.
class RatioReporter final : public benchmark::ConsoleReporter {
 public:
  RatioReporter() : ConsoleReporter(OO_Tabular) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      const bool median = run.run_type == Run::RT_Aggregate && run.aggregate_name == "median";
      if (!median || run.error_occurred) continue;
      std::string name = run.run_name.function_name;
      const std::size_t slash = name.rfind('/');
      if (slash == std::string::npos) continue;
      rows.push_back({name.substr(0, slash), name.substr(slash + 1),
                      run.GetAdjustedRealTime() / benchmark::GetTimeUnitMultiplier(run.time_unit)});
    }
  }

  std::vector<Row> rows;
};

bool is_peer(std::string_view subject) {
  return std::ranges::find(kPeers, subject) != kPeers.end();
}

std::string duration(double seconds) {
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  if (seconds >= 1e-6) return fmt::format("{:.2f} us", seconds * 1e6);
  return fmt::format("{:.1f} ns", seconds * 1e9);
}

void print_table(const std::vector<Row>& rows) {
  fmt::print("\n{:<34} {:<22} {:<18} {:>11} {:>11} {:>8}\n", "case", "subject", "peer", "subject",
             "peer", "ratio");
  for (const Row& row : rows) {
    if (is_peer(row.subject)) continue;
    for (const Row& peer : rows) {
      if (peer.group != row.group || !is_peer(peer.subject)) continue;
      fmt::print("{:<34} {:<22} {:<18} {:>11} {:>11} {:>8.3f}\n", row.group, row.subject,
                 peer.subject, duration(row.seconds), duration(peer.seconds),
                 row.seconds / peer.seconds);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const muster::MappingGuard guard;  // Mapping files requires a guard.
  muster::BenchOptions options;
  std::string filter = ".*";
  std::vector<std::string> arguments = {argv[0], "--benchmark_repetitions=5",
                                        "--benchmark_report_aggregates_only=true",
                                        "--benchmark_min_time=0.1"};
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--project" && i + 1 < argc) {
      options.project = argv[++i];
    } else if (name == "--build" && i + 1 < argc) {
      options.build = argv[++i];
    } else if (name == "--filter" && i + 1 < argc) {
      filter = argv[++i];
    } else if (name == "--json" && i + 1 < argc) {
      arguments.push_back(fmt::format("--benchmark_out={}", argv[++i]));
    } else {
      arguments.emplace_back(name);
    }
  }
  arguments.push_back("--benchmark_filter=" + filter);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;
  muster::register_scan_benchmarks(options);
  muster::register_build_benchmarks(options);
  muster::register_load_benchmarks(options);
  muster::register_source_benchmarks(options);
  muster::register_world_benchmarks();
  muster::register_prediction_benchmarks();
  muster::register_lag_benchmarks();
  muster::register_net_benchmarks();
  muster::register_flood_benchmarks();
  muster::register_latency_benchmarks();
  muster::register_replication_benchmarks();
  muster::register_overload_benchmarks();
  muster::register_growth_benchmarks();
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  print_table(reporter.rows);
  return 0;
}
