// Converts a recording of a world to a trace (MTRC1) with a description of its scene, so that a
// model can be trained and measured on a game's own traffic.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zstd.h>

#include "tests/bench/recording_trace.h"
#include "tests/bench/trace_file.h"

namespace muster {
namespace {

using nlohmann::ordered_json;

struct Arguments {
  std::string recording;
  std::string name;
  std::string out;
  std::string scene;
  std::uint32_t send_rate = 20;
};

int fail_with(const std::string& message) {
  fmt::print(stderr, "snapshot_trace: {}\n", message);
  return 2;
}

constexpr std::string_view name_of(LaneKind kind) {
  constexpr std::array<std::string_view, 7> kNames = {"number",  "angle",    "symbol", "tick",
                                                      "dropped", "rotation", "opaque"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// In a trace, the text before a dot groups the numbers of one vector.
std::string field_name(std::string name) {
  for (char& letter : name) {
    if (letter == '.') letter = '_';
  }
  const std::size_t bracket = name.rfind('[');
  if (bracket == std::string::npos) return name;
  return name.substr(0, bracket) + "." + name.substr(bracket + 1, name.size() - bracket - 2);
}

/// The types in the header of a trace, and the rules of the scene for the types' fields.
struct Types {
  ordered_json types = ordered_json::array();
  ordered_json rules = ordered_json::array();
};

Types types_of(const Trace& trace) {
  Types out;
  for (std::size_t i = 0; i < trace.types.size(); ++i) {
    const EntitySchema& schema = trace.types[i];
    ordered_json fields = ordered_json::array();
    for (std::size_t k = 0; k < schema.lanes.size(); ++k) {
      const LaneSchema& lane = schema.lanes[k];
      const std::string name = field_name(lane.name);
      fields.push_back({{"name", name},
                        {"kind", "uint"},
                        {"bits", std::max<int>(1, static_cast<int>(std::bit_width(lane.maximum)))},
                        {"note", ""}});
      ordered_json rule = {{"type", "type_" + schema.name},
                           {"field", name},
                           {"kind", name_of(lane.kind)},
                           {"high", lane.maximum}};
      if (lane.period != 0) rule["period"] = lane.period;
      if (const LaneValue initial = trace.initial_values[i][k]; initial != 0)
        rule["initial"] = initial;
      out.rules.push_back(rule);
    }
    out.types.push_back({{"id", i}, {"name", "type_" + schema.name}, {"fields", fields}});
  }
  return out;
}

class TraceBytes {
 public:
  void u16(std::uint32_t value) { little(value, 2); }
  void u32(std::uint32_t value) { little(value, 4); }
  void text(std::string_view text) {
    for (const char letter : text) bytes_.push_back(static_cast<std::byte>(letter));
  }
  const ByteVector& bytes() const { return bytes_; }

 private:
  void little(std::uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bytes_.push_back(static_cast<std::byte>(value >> 8 * i));
  }
  ByteVector bytes_;
};

void add_ticks(const Trace& trace, TraceBytes& out) {
  std::uint32_t number = 0;
  for (const std::vector<TraceEntity>& entities : trace.ticks) {
    out.u32(number++);
    out.u32(static_cast<std::uint32_t>(entities.size()));
    for (const TraceEntity& entity : entities) {
      const std::size_t lanes = trace.types[codec_index(entity.type)].lanes.size();
      out.u32(codec_id(entity.id));
      out.u16(static_cast<std::uint16_t>(entity.type));
      out.u16(static_cast<std::uint32_t>(lanes));
      for (std::size_t i = 0; i < lanes; ++i) out.u32(entity.values[i]);
    }
  }
}

Result<void> write_trace(const std::string& path, const ByteVector& bytes) {
  if (!path.ends_with(".zst")) return write_file(path, bytes);
  constexpr int kLevel = 19;
  ByteVector packed(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kLevel);
  if (ZSTD_isError(size) != 0)
    return fail(ErrorCode::limit_exceeded, "zstd could not compress the trace");
  packed.resize(size);
  return write_file(path, packed);
}

int run(const Arguments& arguments) {
  const Result<ByteVector> file = read_file(arguments.recording);
  if (!file) return fail_with(file.error().message);
  const Result<Trace> read = trace_of_recording(file.value(), arguments.recording);
  if (!read) return fail_with(read.error().message);
  const Trace& world = read.value();
  const Types types = types_of(world);
  const ordered_json header = {{"name", arguments.name},
                               {"seed", 0},
                               {"tick_rate", world.tick_rate},
                               {"ticks", world.ticks.size()},
                               {"entity_types", types.types}};
  const ordered_json scene = {
      {"name", arguments.name}, {"send_rate", arguments.send_rate}, {"rules", types.rules}};
  TraceBytes trace;
  const std::string head = header.dump();
  trace.text(std::string_view("MTRC1\0\0\0", 8));
  trace.u32(static_cast<std::uint32_t>(head.size()));
  trace.text(head);
  add_ticks(world, trace);
  const Result<void> written = write_trace(arguments.out, trace.bytes());
  if (!written) return fail_with(written.error().message);
  if (!arguments.scene.empty()) {
    TraceBytes text;
    text.text(scene.dump(1) + "\n");
    const Result<void> described = write_file(arguments.scene, text.bytes());
    if (!described) return fail_with(described.error().message);
  }
  fmt::print("{} ticks, {} bytes\n", world.ticks.size(), trace.bytes().size());
  return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  muster::Arguments arguments;
  CLI::App app("Converts a recording of a world to a trace.");
  app.footer(
      "Example:\n  snapshot_trace arena.mrec --name muster_arena --out muster_arena.mtrc.zst \\\n"
      "    --scene tests/bench/scenes/muster_arena.json");
  app.add_option("RECORDING", arguments.recording, "A recording of a world (`RecordingWriter`).")
      ->required();
  app.add_option("--name", arguments.name, "The scene's name.")->required();
  app.add_option("--out", arguments.out, "The trace to write; compressed if its name ends in .zst.")
      ->required();
  app.add_option("--scene", arguments.scene, "The file for the description of the fields.");
  app.add_option("--rate", arguments.send_rate, "Snapshots per second, for the scene.");
  CLI11_PARSE(app, argc, argv);
  return muster::run(arguments);
}
