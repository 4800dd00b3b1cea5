// Sends recorded inputs as commands over a lossy link, and prints how many bits the commands need.
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/bench/command_stream.h"

namespace muster {
namespace {

struct Arguments {
  std::vector<std::string> files;
  double loss_percent = 5;
  std::uint32_t made_ticks = 0;
  bool is_training = false;
  bool as_json = false;
  CommandStreamSettings settings;
};

int fail_with(const std::string& message) {
  fmt::print(stderr, "command_bench: {}\n", message);
  return 2;
}

/// Sets the probabilities of headers, because recordings have no headers. The probabilities are for
/// delays of 20 to 150 ms at 30 to 66 ticks per second, and a loss of 0 to 10 %.
void set_headers(CommandPriors& priors) {
  using namespace command_contexts;
  priors[kIsFull] = 200;
  constexpr std::array<BitProbability, 8> kMore = {62000, 46000, 6000,  20000,
                                                   48000, 58000, 62000, 64000};
  std::ranges::copy(kMore, priors.begin() + kCount);
  priors[kHasAnchor] = 65000;
  priors[kIsChained] = 49000;
  constexpr std::array<BitProbability, 5> kFurther = {58000, 36000, 24000, 24000, 24000};
  for (unsigned i = 0; i < 16; ++i) priors[kAnchor + i] = i < 5 ? kFurther[i] : 32768;
}

int train(const Arguments& arguments) {
  CommandBitCounts counts;
  for (const std::string& file : arguments.files) {
    const Result<InputRecording> recording = load_inputs(file);
    if (!recording) return fail_with(recording.error().message);
    count_decisions(recording.value(), arguments.settings.step_deg, counts);
  }
  CommandPriors priors = counts.priors();
  set_headers(priors);
  for (std::size_t i = 0; i < priors.size(); ++i) {
    fmt::print("{}{},", i % 13 == 0 ? (i == 0 ? "    " : "\n    ") : " ", priors[i]);
  }
  fmt::print("\n");
  return 0;
}

bool is_verified(const CommandStreamResult& result) {
  return result.is_verified && result.presses_run == result.presses;
}

double lost_percent(std::uint64_t run, std::uint64_t made) {
  return made == 0 ? 0 : 100 - 100 * static_cast<double>(run) / static_cast<double>(made);
}

nlohmann::ordered_json report_of(const std::string& file, const CommandStreamResult& result) {
  const auto delivered = static_cast<double>(std::max<std::uint64_t>(result.delivered, 1));
  const auto sent = static_cast<double>(std::max<std::uint64_t>(result.commands, 1));
  return {{"file", file.substr(file.rfind('/') + 1)},
          {"verified", is_verified(result)},
          {"commands", result.commands},
          {"command_bits", result.bits / delivered},
          {"command_bits_in_bytes", result.byte_bits / delivered},
          {"copies", result.copies / sent},
          {"in_time_percent", 100 * static_cast<double>(result.in_time) / sent},
          {"lost_percent", 100 * (1 - delivered / sent)},
          {"fixed_three_bits", result.fixed_three_bits / delivered},
          {"packed_three_bits", result.packed_bits / delivered},
          {"presses", result.presses},
          {"presses_run", result.presses_run},
          {"presses_lost_percent", lost_percent(result.presses_run, result.presses)},
          {"held_presses_lost_percent", lost_percent(result.held_presses_run, result.presses)}};
}

void print(const nlohmann::ordered_json& row) {
  fmt::print(
      "{:<28} {:>7} {:>6.2f} {:>6.2f} {:>6.2f} {:>8.3f} {:>7.3f} {:>7.1f} {:>7.1f} {:>7} {:>7.2f} "
      "{:>7.2f} {}\n",
      row["file"].get<std::string>(), row["commands"].get<std::uint64_t>(),
      row["command_bits"].get<double>(), row["command_bits_in_bytes"].get<double>(),
      row["copies"].get<double>(), row["in_time_percent"].get<double>(),
      row["lost_percent"].get<double>(), row["fixed_three_bits"].get<double>(),
      row["packed_three_bits"].get<double>(), row["presses"].get<std::uint64_t>(),
      row["presses_lost_percent"].get<double>(), row["held_presses_lost_percent"].get<double>(),
      row["verified"].get<bool>() ? "" : "NOT VERIFIED");
}

int run(Arguments arguments) {
  if (arguments.made_ticks > 0) {
    fmt::print("{}", make_inputs(arguments.settings.seed, arguments.made_ticks));
    return 0;
  }
  if (arguments.files.empty()) return fail_with("name a recording of inputs; see --help");
  if (arguments.is_training) return train(arguments);
  arguments.settings.loss = arguments.loss_percent / 100;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  CommandStreamResult all{.is_verified = true};
  for (const std::string& file : arguments.files) {
    const Result<InputRecording> recording = load_inputs(file);
    if (!recording) return fail_with(recording.error().message);
    const CommandStreamResult one = stream_inputs(recording.value(), arguments.settings);
    rows.push_back(report_of(file, one));
    all.commands += one.commands;
    all.delivered += one.delivered;
    all.in_time += one.in_time;
    all.presses += one.presses;
    all.presses_run += one.presses_run;
    all.held_presses_run += one.held_presses_run;
    all.copies += one.copies;
    all.bits += one.bits;
    all.byte_bits += one.byte_bits;
    all.fixed_three_bits += one.fixed_three_bits;
    all.packed_bits += one.packed_bits;
    all.is_verified = all.is_verified && is_verified(one);
  }
  rows.push_back(report_of("all", all));
  if (arguments.as_json) {
    fmt::print("{}\n", rows.dump());
  } else {
    fmt::print("{:<28} {:>7} {:>6} {:>6} {:>6} {:>8} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}\n",
               "recording", "sent", "bits", "bytes", "copies", "in time", "lost", "three", "packed",
               "presses", "unrun", "held");
    for (const auto& row : rows) print(row);
    fmt::print("bits / three: {:.2f}\nbits / packed: {:.2f}\n",
               all.bits / std::max(all.fixed_three_bits, 1.0),
               all.bits / std::max(all.packed_bits, 1.0));
  }
  return all.is_verified ? 0 : 1;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  muster::Arguments arguments;
  CLI::App app{
      "Sends inputs as commands over a link with loss, and prints the bits per delivered command"};
  app.add_option("files", arguments.files,
                 "recordings of inputs; they may be compressed with zstd");
  app.add_option("--loss", arguments.loss_percent, "percent of lost packets in each direction");
  app.add_option("--rtt", arguments.settings.rtt_ms, "round trip in milliseconds");
  app.add_option("--step", arguments.settings.step_deg,
                 "step of the view in degrees; 0 for the step of the device");
  app.add_option("--seed", arguments.settings.seed,
                 "seed of the losses, or of the generated inputs");
  app.add_option("--make", arguments.made_ticks, "print generated inputs of this many ticks");
  app.add_flag("--train", arguments.is_training,
               "train probabilities on the recordings, and print them");
  app.add_flag("--json", arguments.as_json, "print one line of JSON");
  app.footer(
      "Columns:\n"
      "  sent: commands; one per tick\n"
      "  bits, bytes: bits per delivered command, as information and in whole bytes\n"
      "  copies: the number of packets that contain a command\n"
      "  in time, lost: percent of the commands\n"
      "  three: bits of three copies per packet, coded without an earlier command\n"
      "  packed: bits of three copies per packet, each field in the bits of its range\n"
      "  presses, unrun: presses of buttons, and the percent that no tick ran\n"
      "  held: percent of the presses that a peer does not run. The peer sends which buttons are\n"
      "    held at the end of each tick, in three copies\n"
      "The last lines are the ratios of bits to three and to packed.\n\n"
      "Examples:\n"
      "  command_bench tests/bench/inputs/made_60hz_01.csv --loss 5\n"
      "  command_bench tests/bench/inputs/*.csv --loss 25 --json");
  CLI11_PARSE(app, argc, argv);
  return muster::run(arguments);
}
