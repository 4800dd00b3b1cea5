// Makes a trace (MTRC1) out of a recording of a world, with the description of its scene: so that a
// game's own traffic can train its model and be measured.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zstd.h>

#include "net/replication/recording.h"
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

/// In a trace the text before a dot joins the numbers of one vector.
std::string field_name(std::string name) {
  for (char& letter : name) {
    if (letter == '.') letter = '_';
  }
  const std::size_t bracket = name.rfind('[');
  if (bracket == std::string::npos) return name;
  return name.substr(0, bracket) + "." + name.substr(bracket + 1, name.size() - bracket - 2);
}

/// The header's types, and the rules of the scene for their fields.
struct Types {
  ordered_json types = ordered_json::array();
  ordered_json rules = ordered_json::array();
};

Types types_of(const SnapshotModel& model) {
  Types out;
  for (std::size_t i = 0; i < model.types.size(); ++i) {
    const EntitySchema& schema = model.types[i].schema;
    ordered_json fields = ordered_json::array();
    for (std::size_t k = 0; k < schema.lanes.size(); ++k) {
      const LaneSchema& lane = schema.lanes[k];
      const std::string name = field_name(lane.name);
      fields.push_back({{"name", name},
                        {"kind", "uint"},
                        {"bits", std::max<int>(1, static_cast<int>(std::bit_width(lane.greatest)))},
                        {"note", ""}});
      ordered_json rule = {{"type", "type_" + schema.name},
                           {"field", name},
                           {"kind", name_of(lane.kind)},
                           {"high", lane.greatest}};
      if (lane.period != 0) rule["period"] = lane.period;
      if (const LaneValue usual = model.types[i].lanes[k].usual; usual != 0) rule["usual"] = usual;
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
  void append(const TraceBytes& other) {
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
  }
  const ByteVector& bytes() const { return bytes_; }

 private:
  void little(std::uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bytes_.push_back(static_cast<std::byte>(value >> 8 * i));
  }
  ByteVector bytes_;
};

/// Adds the world as the reader has it. Traces use no id twice.
void add_tick(const RecordingReader& reader, std::uint32_t tick,
              std::map<std::uint32_t, std::pair<EntityKind, std::uint32_t>>& ids,
              std::uint32_t& next_id, TraceBytes& out) {
  const std::span<const SeenEntity> entities = reader.mirror().reader().entities();
  std::map<std::uint32_t, const SeenEntity*> by_id;
  for (const SeenEntity& seen : entities) {
    auto& [kind, id] = ids.try_emplace(seen.id, EntityKind{}, 0xFFFF'FFFF).first->second;
    if (id == 0xFFFF'FFFF || kind != seen.kind) {
      kind = seen.kind;
      id = next_id++;
    }
    by_id[id] = &seen;
  }
  out.u32(tick);
  out.u32(static_cast<std::uint32_t>(by_id.size()));
  for (const auto& [id, seen] : by_id) {
    const std::size_t lanes = reader.views().view(seen->kind.type).parts.size();
    out.u32(id);
    out.u16(seen->kind.type);
    out.u16(static_cast<std::uint32_t>(lanes));
    for (std::size_t i = 0; i < lanes; ++i) out.u32(seen->values[i]);
  }
}

Result<void> write_trace(const std::string& path, const ByteVector& bytes) {
  if (!path.ends_with(".zst")) return write_file(path, bytes);
  constexpr int kLevel = 19;
  ByteVector packed(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kLevel);
  if (ZSTD_isError(size) != 0)
    return fail(ErrorCode::limit_exceeded, "zstd could not pack the trace");
  packed.resize(size);
  return write_file(path, packed);
}

int run(const Arguments& arguments) {
  const Result<ByteVector> file = read_file(arguments.recording);
  if (!file) return fail_with(file.error().message);
  std::string error;
  const auto reader = RecordingReader::open(file.value(), error);
  if (reader == nullptr) return fail_with(arguments.recording + ": " + error);
  std::map<std::uint32_t, std::pair<EntityKind, std::uint32_t>> ids;
  std::uint32_t next_id = 0;
  std::uint32_t ticks = 0;
  TraceBytes world;
  RecordingStatus status = reader->step();
  for (; status == RecordingStatus::tick; status = reader->step()) {
    add_tick(*reader, ticks++, ids, next_id, world);
    reader->clear();
  }
  if (status == RecordingStatus::damaged) {
    return fail_with(
        fmt::format("{} is damaged behind tick {}", arguments.recording, reader->tick()));
  }
  const Types types = types_of(reader->views().model({}));
  const ordered_json header = {{"name", arguments.name},
                               {"seed", 0},
                               {"tick_rate", reader->ticks_per_second()},
                               {"ticks", ticks},
                               {"entity_types", types.types}};
  const ordered_json scene = {
      {"name", arguments.name}, {"send_rate", arguments.send_rate}, {"rules", types.rules}};
  TraceBytes trace;
  const std::string head = header.dump();
  trace.text(std::string_view("MTRC1\0\0\0", 8));
  trace.u32(static_cast<std::uint32_t>(head.size()));
  trace.text(head);
  trace.append(world);
  const Result<void> written = write_trace(arguments.out, trace.bytes());
  if (!written) return fail_with(written.error().message);
  if (!arguments.scene.empty()) {
    TraceBytes text;
    text.text(scene.dump(1) + "\n");
    const Result<void> described = write_file(arguments.scene, text.bytes());
    if (!described) return fail_with(described.error().message);
  }
  fmt::print("{} ticks, {} entities, {} bytes\n", ticks, next_id, trace.bytes().size());
  return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  muster::Arguments arguments;
  CLI::App app("Makes a trace out of a recording of a world.");
  app.footer(
      "Example:\n  snapshot_trace arena.mrec --name muster_arena --out muster_arena.mtrc.zst \\\n"
      "    --scene tests/bench/scenes/muster_arena.json");
  app.add_option("RECORDING", arguments.recording, "Written by `RecordingWriter`.")->required();
  app.add_option("--name", arguments.name, "The scene's name.")->required();
  app.add_option("--out", arguments.out, "The trace; packed when it ends in .zst.")->required();
  app.add_option("--scene", arguments.scene, "Where to write what its fields mean.");
  app.add_option("--rate", arguments.send_rate, "Snapshots a second, for the scene.");
  CLI11_PARSE(app, argc, argv);
  return muster::run(arguments);
}
