// Streams a recorded world through the snapshot codec and prints sizes and times.
#include <algorithm>
#include <cstdio>
#include <numeric>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "net/snapshot/model_file.h"
#include "tests/bench/option_checks.h"
#include "tests/bench/snapshot_sizes.h"
#include "tests/bench/snapshot_stream.h"
#include "tests/bench/trace_file.h"

namespace muster {
namespace {

struct Arguments {
  std::string trace;
  std::string model;
  std::string scenes = MUSTER_SOURCE_DIR "/tests/bench/scenes";
  std::string coder = "range";
  double loss = 0;
  bool as_json = false;
  bool with_peers = true;
  StreamSettings settings;
};

const std::vector<std::string> kCoders = {"range", "mix", "huffman", "raw", "reference"};

/// Coders with weak prediction need more datagrams per world than are acknowledged in time. Only
/// their sizes are compared, so their datagrams may be this large.
constexpr std::size_t kPlainDatagramBytes = 65'000;

int fail_with(const std::string& message) {
  fmt::print(stderr, "snapshot_bench: {}\n", message);
  return 2;
}

/// The model of a server before any training, with the initial values of the prefabs.
SnapshotModel untrained_model(const Trace& trace) {
  SnapshotModel model = untrained_model(trace.types);
  for (std::size_t i = 0; i < model.types.size(); ++i) {
    for (std::size_t k = 0; k < trace.initial_values[i].size(); ++k) {
      model.types[i].lanes[k].initial_value = trace.initial_values[i][k];
    }
  }
  return model;
}

Result<SnapshotModel> open_model(const Arguments& arguments, const Trace& trace) {
  if (arguments.model.empty()) return untrained_model(trace);
  const Result<ByteVector> bytes = read_file(arguments.model);
  if (!bytes) return fail(bytes.error());
  SnapshotModel model;
  std::string error;
  if (!decode_model(bytes.value(), model, error)) {
    return fail(ErrorCode::malformed, fmt::format("'{}' is {}", arguments.model, error));
  }
  const bool fits = std::equal(
      model.types.begin(), model.types.end(), trace.types.begin(), trace.types.end(),
      [](const TypeModel& type, const EntitySchema& schema) { return type.schema == schema; });
  if (!fits) {
    return fail(ErrorCode::malformed,
                fmt::format("'{}' was trained for other entities than those of '{}'",
                            arguments.model, arguments.trace));
  }
  if (arguments.settings.options.coder == SnapshotCoder::mix && model.mix.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' was trained for the coder range and has no tables for mix: train "
                            "it with 'snapshot_train --coder mix'",
                            arguments.model));
  }
  return model;
}

double mean_of(const std::vector<std::size_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(bytes.size(), 1));
}

/// The sizes of simpler encodings of the same world, and of the coder `reference` over the same
/// link.
nlohmann::ordered_json peers_of(const Arguments& arguments, const Trace& trace,
                                const SnapshotModel& model) {
  StreamSettings settings = arguments.settings;
  const PeerSizes peers = peer_sizes(trace, tick_step(trace, settings), ack_ticks(trace, settings));
  settings.options.coder = SnapshotCoder::reference;
  settings.datagram_bytes = kPlainDatagramBytes;
  const StreamResult reference = stream_trace(trace, model, settings);
  return {{"bit_packed_bytes", peers.bit_packed},
          {"order0_entropy_bytes", peers.order0_entropy},
          {"zstd_delta_bytes", peers.zstd_delta},
          {"reference_bytes", mean_of(reference.bytes)},
          {"reference_verified", reference.is_verified}};
}

nlohmann::ordered_json report_of(const Arguments& arguments, const Trace& trace,
                                 const SnapshotModel& model, const StreamResult& result) {
  std::vector<std::size_t> sorted = result.bytes;
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(std::max<std::size_t>(sorted.size(), 1));
  const double mean = mean_of(sorted);
  const double all = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  const double seconds =
      static_cast<double>(std::max<std::uint64_t>(result.ticks, 1)) / trace.tick_rate;
  const double entities = static_cast<double>(std::max<std::size_t>(result.entities, 1));
  const double changed = static_cast<double>(std::max<std::size_t>(result.changed_entities, 1));
  nlohmann::ordered_json report{
      {"trace", trace.name},
      {"coder", arguments.coder},
      {"model", arguments.model.empty() ? "built in" : "trained"},
      {"rate", arguments.settings.rate},
      {"rtt_ms", arguments.settings.rtt_ms},
      {"loss", arguments.settings.loss},
      {"seed", arguments.settings.seed},
      {"verified", result.is_verified},
      {"snapshots", sorted.size()},
      {"snapshots_left_out", result.left_out},
      {"changed_entities", result.changed_entities},
      {"mean_bytes", mean},
      {"p95_bytes", sorted.empty() ? 0 : sorted[sorted.size() * 95 / 100]},
      {"kbps", all * 8 / 1000 / seconds},
      {"snapshots_per_second", static_cast<double>(sorted.size()) / seconds},
      {"datagram_bytes", result.largest_datagram_bytes},
      {"datagrams_per_snapshot", static_cast<double>(result.datagrams) / count},
      {"encode_ns_per_entity", result.encode_ns / entities},
      {"decode_ns_per_entity", result.decode_ns / entities},
      {"encode_ns_per_changed_entity", result.encode_ns / changed},
      {"decode_ns_per_changed_entity", result.decode_ns / changed},
      {"encode_us_per_snapshot", result.encode_ns / 1000 / count},
      {"decode_us_per_snapshot", result.decode_ns / 1000 / count},
      {"server_memory_bytes", result.memory_bytes},
      {"client_memory_bytes", result.reader_memory_bytes},
      {"allocations", result.allocations}};
  if (!result.is_verified) report["fault"] = result.fault;
  if (arguments.with_peers) report["peers"] = peers_of(arguments, trace, model);
  return report;
}

int run(const Arguments& arguments) {
  const Result<Trace> trace = load_trace(arguments.trace, arguments.scenes);
  if (!trace) return fail_with(trace.error().message);
  const Result<SnapshotModel> model = open_model(arguments, trace.value());
  if (!model) return fail_with(model.error().message);
  const StreamResult result = stream_trace(trace.value(), model.value(), arguments.settings);
  const nlohmann::ordered_json report = report_of(arguments, trace.value(), model.value(), result);
  if (arguments.as_json) {
    fmt::print("{}\n", report.dump());
  } else {
    for (const auto& [key, value] : report.items()) fmt::print("{:<30} {}\n", key, value.dump());
  }
  return result.is_verified ? 0 : 1;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  muster::Arguments arguments;
  CLI::App app("Streams a recorded world to one client and measures the snapshots.");
  app.footer(
      "Example: snapshot_bench arena_1.mtrc.zst --rate 20 --rtt-ms 100 --loss 5 --model arena.mdl "
      "--json\n"
      "Snapshots are sent at whole ticks, so their rate may be higher than --rate. "
      "'snapshots_per_second' is the rate without omitted snapshots, and "
      "'kbps' is the mean bandwidth of the sent snapshots.\n"
      "An entity that does not fit into a datagram is sent in a larger datagram "
      "('datagram_bytes' is the size of the largest one). A game's server cuts such an entity into "
      "slices.\n"
      "Exit codes: 0 every integer arrived, 1 an integer differs, 2 unreadable input.");
  app.add_option("trace", arguments.trace, "A trace, .mtrc or .mtrc.zst, or a recording of a world")
      ->required();
  app.add_option("--rate", arguments.settings.rate, "Snapshots per second")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--rtt-ms", arguments.settings.rtt_ms, "Round trip in milliseconds")
      ->check(CLI::Range(0, 10'000))
      ->capture_default_str();
  app.add_option("--loss", arguments.loss,
                 "Lost datagrams: a fraction if below 1, otherwise percent")
      ->check(CLI::Range(0.0, 99.0))
      ->check(muster::no_nan);
  app.add_option("--seed", arguments.settings.seed, "Seed of the losses")
      ->check(muster::not_below_zero)
      ->capture_default_str();
  app.add_option("--coder", arguments.coder, "Entropy coder")
      ->check(CLI::IsMember(muster::kCoders))
      ->capture_default_str();
  app.add_option("--model", arguments.model,
                 "A model of snapshot_train; default: the built-in model");
  const CLI::Option* const datagram =
      app.add_option(
             "--datagram", arguments.settings.datagram_bytes,
             "Maximum bytes of a datagram; default: 1200, or 65000 for huffman, raw and reference")
          ->check(CLI::Range(64, 65'000));
  app.add_option("--from", arguments.settings.from_seconds, "First measured second")
      ->check(muster::not_below_zero)
      ->capture_default_str();
  app.add_option("--scenes", arguments.scenes, "Folder of scene descriptions");
  app.add_flag("--json", arguments.as_json, "Print one JSON object");
  app.add_flag("!--no-peers", arguments.with_peers, "Do not compute the sizes of simpler coders");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  using muster::kCoders;
  arguments.settings.options.coder = static_cast<muster::SnapshotCoder>(
      std::find(kCoders.begin(), kCoders.end(), arguments.coder) - kCoders.begin());
  using enum muster::SnapshotCoder;
  const muster::SnapshotCoder coder = arguments.settings.options.coder;
  if (coder != range && coder != mix && datagram->empty()) {
    arguments.settings.datagram_bytes = muster::kPlainDatagramBytes;
  }
  arguments.settings.loss = arguments.loss < 1 ? arguments.loss : arguments.loss / 100;
  return muster::run(arguments);
}
