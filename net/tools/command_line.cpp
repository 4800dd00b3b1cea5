#include "net/tools/command_line.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "net/capture/appended_file.h"
#include "net/capture/capture_reader.h"
#include "net/capture/pcap.h"
#include "net/capture/replay.h"
#include "net/replication/recording.h"
#include "net/tools/bandwidth_page.h"
#include "net/tools/record_json.h"

namespace muster {

namespace {

constexpr int kExitSuccess = 0;
constexpr int kExitDamaged = 1;
constexpr int kExitUsage = 2;

/// The maximum size of a capture, because the whole capture is read into memory.
constexpr std::uint64_t kFileBytesMax = std::uint64_t{4} << 30U;

struct Streams {
  std::ostream& out;
  std::ostream& err;
};

struct Arguments {
  std::string file;
  std::string format = "text";
  std::string output;
};

using File = std::vector<std::byte>;

std::optional<File> open_capture(const std::string& path, const Streams& streams) {
  std::string problem;
  std::optional<File> file = read_capture_file(path, kFileBytesMax, problem);
  if (!file.has_value()) {
    streams.err << "muster-net: cannot read '" << path << "': " << problem << "\n";
  }
  return file;
}

bool is_capture(CaptureStatus status) {
  return status != CaptureStatus::not_a_capture && status != CaptureStatus::wrong_version;
}

/// Reports a damaged capture, and returns the exit code.
int judge(const std::string& path, CaptureStatus status, std::size_t offset,
          const Streams& streams) {
  if (status == CaptureStatus::end) return kExitSuccess;
  streams.err << "muster-net: " << path << " " << text_of(status) << ", at byte " << offset << "\n";
  return kExitDamaged;
}

int dump(const Arguments& arguments, const Streams& streams) {
  const std::optional<File> file = open_capture(arguments.file, streams);
  if (!file.has_value()) return kExitUsage;
  const bool is_json = arguments.format == "json";
  CaptureReader reader(*file);
  CaptureRecord record;
  CaptureStatus status = reader.next(record);
  if (!is_capture(status)) return judge(arguments.file, status, reader.offset(), streams);
  if (is_json) {
    streams.out << fmt::format("{{\"capture\":1,\"start_unix_nanoseconds\":{},\"records\":[",
                               reader.unix_nanoseconds());
  }
  for (bool is_first = true; status == CaptureStatus::record; status = reader.next(record)) {
    const nlohmann::ordered_json json = json_of(record);
    if (is_json) {
      streams.out << (is_first ? "\n" : ",\n") << json.dump();
    } else {
      streams.out << text_of(json);
    }
    is_first = false;
  }
  if (is_json) {
    streams.out << fmt::format("\n],\"whole\":{},\"bytes\":{}}}\n", status == CaptureStatus::end,
                               reader.offset());
  }
  return judge(arguments.file, status, reader.offset(), streams);
}

int convert(const Arguments& arguments, const Streams& streams) {
  const std::optional<File> file = open_capture(arguments.file, streams);
  if (!file.has_value()) return kExitUsage;
  const PcapFile pcap = pcap_of(*file);
  if (!is_capture(pcap.status)) return judge(arguments.file, pcap.status, pcap.offset, streams);
  std::string problem = "it cannot be written";
  std::optional<AppendedFile> output = AppendedFile::create(arguments.output, problem);
  if (!output.has_value() || !output->append(pcap.bytes) || !output->finish()) {
    streams.err << "muster-net: cannot write '" << arguments.output << "': " << problem << "\n";
    return kExitUsage;
  }
  streams.out << fmt::format("{} datagrams\n", pcap.datagrams);
  if (pcap.unknown_connection > 0) {
    streams.err << fmt::format("muster-net: {} packets have no recorded connection\n",
                               pcap.unknown_connection);
  }
  return judge(arguments.file, pcap.status, pcap.offset, streams);
}

nlohmann::ordered_json json_of(const ReplayedConnection& connection) {
  nlohmann::ordered_json json = {
      {"connection", fmt::format("{:08x}", connection.recorded.our_id)},
      {"role", connection.recorded.is_server ? "server" : "client"},
      {"packets_in", connection.packets_in},
      {"packets_out", connection.packets_out},
      {"messages", connection.received.messages()},
      {"payloads", connection.received.payloads()},
      {"blocks", connection.received.blocks()},
      {"refused", connection.refused},
      {"missing_out", connection.missing_out},
      {"unfit", connection.unfit},
      {"differing", connection.differing},
      {"lost_in", connection.counters.lost_in},
      {"end", connection.end.has_value() ? connection.end->text : "open"},
      {"hash", fmt::format("{:016x}", connection.received.value())}};
  return json;
}

int replay_file(const Arguments& arguments, const Streams& streams) {
  const std::optional<File> file = open_capture(arguments.file, streams);
  if (!file.has_value()) return kExitUsage;
  const Replay result = replay(*file);
  if (!is_capture(result.status)) {
    return judge(arguments.file, result.status, result.offset, streams);
  }
  nlohmann::ordered_json all = {{"handshakes", result.handshakes},
                                {"unknown_connection", result.unknown_connection},
                                {"dropped", result.dropped},
                                {"faithful", result.is_faithful()},
                                {"hash", fmt::format("{:016x}", result.hash())}};
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const ReplayedConnection& connection : result.connections) {
    rows.push_back(json_of(connection));
  }
  if (arguments.format == "json") {
    all["connections"] = rows;
    streams.out << all.dump(2) << "\n";
  } else {
    const auto print = [&streams](std::string_view name, const nlohmann::ordered_json& object) {
      streams.out << name;
      for (const auto& [key, value] : object.items()) {
        streams.out << "  " << key << " "
                    << (value.is_string() ? value.get<std::string>() : value.dump());
      }
      streams.out << "\n";
    };
    for (const nlohmann::ordered_json& row : rows) print("replayed", row);
    print("capture", all);
  }
  const int code = judge(arguments.file, result.status, result.offset, streams);
  if (code == kExitSuccess && !result.is_faithful()) {
    streams.err << "muster-net: the replay differs from the recording: see above\n";
    return kExitDamaged;
  }
  return code;
}

int show_bandwidth(const Arguments& arguments, const Streams& streams) {
  const std::optional<File> file = open_capture(arguments.file, streams);
  if (!file.has_value()) return kExitUsage;
  std::string problem;
  const auto recording = RecordingReader::open(*file, problem);
  if (recording == nullptr) {
    streams.err << "muster-net: " << arguments.file << ": " << problem << "\n";
    return kExitDamaged;
  }
  recording->begin_meter();
  RecordingStatus status = recording->step();
  for (; status == RecordingStatus::tick; status = recording->step()) recording->clear();
  const Bandwidth bandwidth = recording->bandwidth();
  if (arguments.format == "json") {
    streams.out << json_of(bandwidth).dump(2) << "\n";
  } else if (arguments.format == "html") {
    streams.out << page_of(bandwidth, "Bandwidth of " + arguments.file);
  } else {
    streams.out << table_of(bandwidth);
  }
  if (status == RecordingStatus::end) return kExitSuccess;
  streams.err << fmt::format("muster-net: {} {} after tick {}\n", arguments.file,
                             status == RecordingStatus::cut ? "is truncated" : "is damaged",
                             recording->tick().value());
  return kExitDamaged;
}

using Command = std::function<int(const Arguments&, const Streams&)>;

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& about,
                      Arguments& arguments, const Command& command, Command& chosen) {
  CLI::App* const added = app.add_subcommand(name, about);
  added->add_option("FILE", arguments.file, "The capture to read; for `bandwidth`, the recording.")
      ->required();
  added->callback([&chosen, command] { chosen = command; });
  return added;
}

void add_format(CLI::App* command, Arguments& arguments) {
  command->add_option("--format", arguments.format, "The output format.")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

int run_command(int argc, char** argv, const Streams& streams) {
  CLI::App app("Shows, converts and replays captures of connections, and inspects recordings.");
  app.name("muster-net");
  app.set_version_flag("--version", std::string("muster-net ") + MUSTER_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 success, 1 a capture that is damaged or whose replay differs, 2 usage,\n"
      "unreadable input or unwritable output, 3 internal error.\n\n"
      "Examples:\n"
      "  muster-net dump game.mcapture\n"
      "  muster-net dump game.mcapture --format json | jq '.records[].sequence'\n"
      "  muster-net pcap game.mcapture --out game.pcap\n"
      "  tshark -X lua_script:net/tools/muster.lua -o udp.try_heuristic_first:TRUE \\\n"
      "    -r game.pcap -V\n"
      "  muster-net replay game.mcapture\n"
      "  muster-net bandwidth match.mrec --format html > bandwidth.html");
  Arguments arguments;
  Command chosen;
  add_format(
      add_command(app, "dump", "Prints every record with every field.", arguments, dump, chosen),
      arguments);
  add_command(app, "pcap", "Makes a pcap file for Wireshark.", arguments, convert, chosen)
      ->add_option("--out", arguments.output, "The file to write.")
      ->required();
  add_format(add_command(app, "replay", "Replays all received packets and shows the results.",
                         arguments, replay_file, chosen),
             arguments);
  add_command(app, "bandwidth", "Shows the bandwidth of a recorded world's snapshots.", arguments,
              show_bandwidth, chosen)
      ->add_option("--format", arguments.format, "The output format.")
      ->check(CLI::IsMember({"text", "json", "html"}))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
      streams.err << "muster-net: unknown command '" << argv[1]
                  << "'; 'muster-net --help' lists them\n";
      return kExitUsage;
    }
    return app.exit(problem, streams.out, streams.err) == 0 ? kExitSuccess : kExitUsage;
  }
  return chosen(arguments, streams);
}

}  // namespace

int run_muster_net(int argc, char** argv, std::ostream& out, std::ostream& err) {
  constexpr int kInternal = 3;
  try {
    const int code = run_command(argc, argv, {.out = out, .err = err});
    out.flush();
    if (out.good()) return code;
    err << "muster-net: the output could not be written\n";
    return kExitUsage;
  } catch (const std::exception& problem) {
    err << "muster-net: internal error: " << problem.what() << "\n";
    return kInternal;
  }
}

}  // namespace muster
