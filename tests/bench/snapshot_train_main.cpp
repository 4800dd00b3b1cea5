// Trains the priors of the snapshot codec on recorded worlds.
#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "net/tools/training/bounded_training.h"
#include "net/tools/training/train_model.h"
#include "tests/bench/option_checks.h"
#include "tests/bench/trace_file.h"

namespace muster {
namespace {

struct Arguments {
  std::vector<std::string> traces;
  std::string out;
  std::string scenes = MUSTER_SOURCE_DIR "/tests/bench/scenes";
  std::string coder = "range";
  std::uint32_t rate = 0;
  std::uint32_t rtt_ms = 100;
  double loss = 0.02;
  std::uint32_t until_seconds = 0;
  bool is_built_in = false;
};

int fail_with(const std::string& message) {
  fmt::print(stderr, "snapshot_train: {}\n", message);
  return 2;
}

std::uint32_t tick_step(const Arguments& arguments, const Trace& trace) {
  const std::uint32_t rate = arguments.rate != 0 ? arguments.rate : trace.send_rate;
  return std::max(1U, trace.tick_rate / std::max(1U, rate));
}

/// The source of `built_in_tables.h`.
std::string source_of(const CommonPriors& priors) {
  std::string text = R"(// Written by `snapshot_train --built-in`; not by hand.
#pragma once

#include <array>
#include <cstdint>

#include "net/snapshot/snapshot_model.h"

namespace muster::built_in {

// clang-format off
)";
  constexpr std::array<const char*, 4> kNames = {"Symbol", "Tick", "Number", "Entity"};
  for (std::size_t kind = 0; kind < kNames.size(); ++kind) {
    const std::vector<std::uint8_t>& steps = priors.steps[kind];
    text += fmt::format("inline constexpr std::array<std::uint8_t, {}> k{} = {{", steps.size(),
                        kNames[kind]);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      text += fmt::format("{}{},", i % 24 == 0 ? "\n  " : "", steps[i]);
    }
    text += "\n};\n";
  }
  text += fmt::format("inline constexpr SizeWeights kSizes = {{{{\n  {}\n}}}};\n",
                      fmt::join(priors.size_weights, ", "));
  text += "// clang-format on\n\n}  // namespace muster::built_in\n";
  return text;
}

int train(const Arguments& arguments, std::span<const TrainingTrace> training) {
  const bool is_for_mix = arguments.coder == "mix";
  const std::size_t bytes_max = is_for_mix ? kMixModelBytesMax : kRangeModelBytesMax;
  const std::optional<BoundedModel> trained = train_bounded(training, is_for_mix, bytes_max);
  if (!trained) {
    return fail_with(fmt::format(
        "a model for '{}' has at most {} bytes, and the names and ranges of these fields alone "
        "need more: describe fewer types or fields",
        arguments.coder, bytes_max));
  }
  const Result<void> written = write_file(arguments.out, trained->file);
  if (!written) return fail_with(written.error().message);
  fmt::print("{}: {} bytes, {} types, {} probabilities\n", arguments.out, trained->file.size(),
             trained->model.types.size(), trained->model.probabilities.size());
  if (trained->lanes_left_out > 0) {
    fmt::print("{} of {} fields were omitted, because a model for '{}' has at most {} bytes\n",
               trained->lanes_left_out, trained->lane_count, arguments.coder, bytes_max);
  }
  return 0;
}

int run(const Arguments& arguments) {
  std::vector<Trace> traces;
  for (const std::string& path : arguments.traces) {
    Result<Trace> trace = load_trace(path, arguments.scenes);
    if (!trace) return fail_with(trace.error().message);
    if (!arguments.is_built_in && !traces.empty() && trace.value().types != traces.front().types) {
      return fail_with(fmt::format("'{}' has other entities than '{}'; train one model for each",
                                   path, arguments.traces.front()));
    }
    traces.push_back(std::move(trace).value());
    const std::size_t end = std::size_t{arguments.until_seconds} * traces.back().tick_rate;
    if (end != 0 && end < traces.back().ticks.size()) traces.back().ticks.resize(end);
  }
  std::vector<TrainingTrace> training;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const SampleSettings settings{
        .tick_step = tick_step(arguments, traces[i]),
        .ack_ticks = std::max(1U, (arguments.rtt_ms * traces[i].tick_rate + 999) / 1000),
        .loss = arguments.loss,
        .seed = i + 1};
    training.push_back({.trace = &traces[i], .samples = samples_of(traces[i], settings)});
    if (training.back().samples.empty()) {
      return fail_with(fmt::format("'{}' has no entities", arguments.traces[i]));
    }
  }
  if (arguments.is_built_in) {
    const std::string source = source_of(common_priors(training));
    const Result<void> written = write_file(arguments.out, std::as_bytes(std::span(source)));
    return written ? 0 : fail_with(written.error().message);
  }
  return train(arguments, training);
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  muster::Arguments arguments;
  CLI::App app("Trains the snapshot codec on recorded worlds of one game.");
  app.footer(
      "Example: snapshot_train arena_1.mtrc.zst --out arena.mdl\n"
      "A model has at most 65536 bytes, and a model for 'mix' at most 1048576. If the model "
      "would be larger, the fields that save the fewest bytes are omitted, and their number is "
      "printed. "
      "Such fields are expected to stay unchanged, with the probabilities of all fields of their "
      "kind.\n"
      "Exit codes: 0 written, 2 unreadable input, or a model that is still too large.");
  app.add_option("traces", arguments.traces, "Traces, .mtrc or .mtrc.zst, or recordings of worlds")
      ->required();
  app.add_option("--out", arguments.out, "The model to write")->required();
  app.add_option("--coder", arguments.coder,
                 "The strongest coder of the model; a model for 'mix' works with all")
      ->check(CLI::IsMember({"range", "mix"}))
      ->capture_default_str();
  app.add_option("--rate", arguments.rate, "Snapshots per second (default: the rate of the scene)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--rtt-ms", arguments.rtt_ms, "Round trip in milliseconds")
      ->check(CLI::Range(0, 10'000))
      ->capture_default_str();
  app.add_option("--loss", arguments.loss, "Fraction of snapshots lost during training")
      ->check(CLI::Range(0.0, 0.9))
      ->check(muster::no_nan)
      ->capture_default_str();
  app.add_option("--until", arguments.until_seconds,
                 "Train on this many seconds of each trace (0: all), and test on the rest")
      ->check(muster::not_below_zero);
  app.add_flag("--built-in", arguments.is_built_in,
               "Write the priors of untrained models as source, from traces of several games");
  app.add_option("--scenes", arguments.scenes, "Folder of scene descriptions");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return muster::run(arguments);
}
