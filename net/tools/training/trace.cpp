// The format MTRC1 is little-endian without padding. It begins with a magic text, and the length
// and text of a JSON header. Each tick has its number and the number of entities. Each entity has
// its id, type, field count and values.
#include "net/tools/training/trace.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "net/snapshot/model_file.h"
#include "net/snapshot/slots.h"
#include "net/snapshot/snapshot_model.h"
#include "registry/base/bytes.h"

namespace muster {
namespace {

using nlohmann::json;

constexpr std::string_view kTraceMagic("MTRC1\0\0\0", 8);
/// The maximum number of ticks, so that a trace fits into memory.
constexpr std::size_t kMaxTicks = 1'000'000;
/// The maximum tick rate of a recording.
constexpr std::uint32_t kMaxTickRate = 65'535;
/// All ids are below this value, which marks the end of a list of ids.
constexpr std::uint32_t kNoId = 0xFFFF'FFFF;

std::string_view header_text(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const std::span<const std::byte> magic = reader.bytes(kTraceMagic.size());
  if (magic.size() != kTraceMagic.size() || std::memcmp(magic.data(), kTraceMagic.data(), 8) != 0)
    return {};
  const std::span<const std::byte> text = reader.bytes(reader.u32());
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

bool matches(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  const std::string_view head = pattern.substr(0, star);
  const std::string_view tail = pattern.substr(star + 1);
  return name.size() >= head.size() + tail.size() && name.starts_with(head) && name.ends_with(tail);
}

LaneKind kind_named(const std::string& name) {
  if (name == "angle") return LaneKind::angle;
  if (name == "symbol") return LaneKind::symbol;
  if (name == "tick") return LaneKind::tick;
  if (name == "dropped") return LaneKind::dropped;
  if (name == "rotation") return LaneKind::rotation;
  if (name == "opaque") return LaneKind::opaque;
  return LaneKind::number;
}

/// A lane, and the minimum that is subtracted from its values.
struct LaneRead {
  LaneSchema schema;
  std::int64_t low = 0;
  LaneValue initial_value = 0;
};

LaneRead lane_of(const json& field, const std::string& type, const json& rules) {
  LaneRead lane;
  lane.schema.name = field.at("name").get<std::string>();
  lane.schema.is_of_vector = lane.schema.name.find('.') != std::string::npos;
  const auto kind = field.at("kind").get<std::string>();
  const auto bits = field.at("bits").get<unsigned>();
  if (bits < 1 || bits > 32) throw std::runtime_error(lane.schema.name + ": 1 to 32 bits");
  lane.schema.maximum = static_cast<LaneValue>((std::uint64_t{1} << bits) - 1);
  if (kind == "int") lane.low = -(std::int64_t{1} << (bits - 1));
  std::optional<std::int64_t> given;
  if (kind == "bool" || kind == "enum") lane.schema.kind = LaneKind::symbol;
  for (const json& rule : rules) {
    if (!matches(rule.value("type", "*"), type)) continue;
    if (!matches(rule.at("field").get<std::string>(), lane.schema.name)) continue;
    if (rule.contains("kind")) lane.schema.kind = kind_named(rule.at("kind").get<std::string>());
    if (rule.contains("low")) lane.low = rule.at("low").get<std::int64_t>();
    if (rule.contains("high")) {
      const std::int64_t maximum = rule.at("high").get<std::int64_t>() - lane.low;
      lane.schema.maximum =
          static_cast<LaneValue>(std::clamp<std::int64_t>(maximum, 0, UINT32_MAX));
    }
    lane.schema.period = rule.value("period", lane.schema.period);
    if (rule.contains("initial")) given = rule.at("initial").get<std::int64_t>();
  }
  const std::int64_t high = lane.low + lane.schema.maximum;
  const std::int64_t initial = given.value_or(std::clamp<std::int64_t>(0, lane.low, high));
  if (initial < lane.low || initial > high) {
    throw std::runtime_error(lane.schema.name + ": its initial value is outside its range");
  }
  lane.initial_value = static_cast<LaneValue>(initial - lane.low);
  return lane;
}

/// Returns the reason why a type does not fit into a model; empty if it fits.
std::string fault_of_type(const EntitySchema& schema) {
  const auto is_long = [](const std::string& name) { return name.size() > kMaxModelNameBytes; };
  if (is_long(schema.name) || std::any_of(schema.lanes.begin(), schema.lanes.end(),
                                          [&](const auto& lane) { return is_long(lane.name); })) {
    return fmt::format("'{}' or a field of it has a name of more than {} bytes",
                       schema.name.substr(0, kMaxModelNameBytes), kMaxModelNameBytes);
  }
  if (schema.lanes.size() > kMaxLanes) {
    return fmt::format("{}: {} fields are too many, a type has at most {}", schema.name,
                       schema.lanes.size(), kMaxLanes);
  }
  const char* const fault = find_fault(schema);
  return fault == nullptr ? std::string() : schema.name + ": " + fault;
}

void read_types(const json& header, const json& scene, Trace& out,
                std::vector<std::vector<std::int64_t>>& lows) {
  const json rules = scene.value("rules", json::array());
  for (const json& type : header.at("entity_types")) {
    EntitySchema schema{.name = type.at("name").get<std::string>(), .lanes = {}};
    lows.emplace_back();
    std::vector<LaneValue>& values = out.initial_values.emplace_back();
    for (const json& field : type.at("fields")) {
      LaneRead lane = lane_of(field, schema.name, rules);
      lows.back().push_back(lane.low);
      values.push_back(lane.initial_value);
      schema.lanes.push_back(std::move(lane.schema));
    }
    out.types.push_back(std::move(schema));
  }
  const std::string fault = fault_of_types(out.types);
  if (!fault.empty()) throw std::runtime_error(fault);
}

/// Returns the fault of the next entity of a tick; empty if the entity is valid.
std::string fault_of(const TraceEntity& entity, std::uint32_t field_count,
                     const std::vector<TraceEntity>& before,
                     const std::vector<std::vector<std::int64_t>>& lows) {
  const std::uint32_t id = codec_id(entity.id);
  if (id == kNoId) return fmt::format("entity {}: ids must be less", id);
  if (before.size() == kMaxTraceEntities)
    return fmt::format("more than {} entities", before.size());
  if (!before.empty() && entity.id == before.back().id) {
    return fmt::format("entity {} is listed twice", id);
  }
  if (!before.empty() && entity.id < before.back().id) {
    return fmt::format("entity {} follows entity {}: ids must rise", id,
                       codec_id(before.back().id));
  }
  const std::size_t type = codec_index(entity.type);
  if (type >= lows.size() || field_count != lows[type].size()) {
    return fmt::format("entity {}: its type {} has other fields", id, type);
  }
  return {};
}

/// Reads the entities of one tick. Pointers to values are set after all values are read.
bool read_tick(ByteReader& reader, const std::vector<std::vector<std::int64_t>>& lows, Trace& out,
               std::vector<std::size_t>& offsets, std::string& error) {
  reader.u32();
  const std::uint32_t count = reader.u32();
  std::vector<TraceEntity>& entities = out.ticks.emplace_back();
  for (std::uint32_t i = 0; i < count && !reader.failed(); ++i) {
    TraceEntity entity;
    entity.id = SliceId{reader.u32()};
    entity.type = static_cast<CodecType>(reader.u16());
    const std::uint32_t fields = reader.u16();
    if (reader.failed()) return false;
    error = fault_of(entity, fields, entities, lows);
    if (!error.empty()) return false;
    offsets.push_back(out.values.size());
    const std::size_t type = codec_index(entity.type);
    for (std::uint32_t f = 0; f < fields; ++f) {
      const LaneSchema& lane = out.types[type].lanes[f];
      const std::uint32_t raw = reader.u32();
      const std::int64_t low = lows[type][f];
      std::int64_t value = static_cast<std::int32_t>(raw);
      if (low >= 0 && lane.maximum > INT32_MAX) value = raw;
      value -= low;
      if (value < 0 || value > std::int64_t{lane.maximum}) {
        error = fmt::format("entity {}: {} is {}, outside its range", codec_id(entity.id),
                            lane.name, value + low);
        return false;
      }
      out.values.push_back(static_cast<LaneValue>(value));
    }
    entities.push_back(entity);
  }
  return !reader.failed();
}

}  // namespace

std::string fault_of_types(const std::vector<EntitySchema>& types) {
  std::uint64_t slots = slots::kPerSnapshot;
  for (const EntitySchema& type : types) {
    std::string fault = fault_of_type(type);
    if (!fault.empty()) return fault;
    slots += slots::kPerEntity;
    for (const LaneSchema& lane : type.lanes) slots += slot_count(lane);
  }
  if (types.size() <= kMaxModelTypes && slots <= kMaxModelSlots) return {};
  return fmt::format(
      "its {} types have more than a model can: {} types, and some {} fields of numbers together",
      types.size(), kMaxModelTypes, kMaxModelSlots / slots::kPerNumber);
}

std::string trace_name(std::span<const std::byte> bytes) {
  const json header = json::parse(header_text(bytes), nullptr, false);
  if (!header.is_object()) return {};
  const auto name = header.find("name");
  return name != header.end() && name->is_string() ? name->get<std::string>() : std::string();
}

bool read_trace(std::span<const std::byte> bytes, std::string_view scene, Trace& out,
                std::string& error) try {
  const std::string_view text = header_text(bytes);
  if (text.empty()) {
    error = "not a trace of the format MTRC1";
    return false;
  }
  const json header = json::parse(text);
  out = Trace{};
  out.name = header.at("name").get<std::string>();
  const auto tick_rate = header.at("tick_rate").get<double>();
  if (!(tick_rate >= 1 && tick_rate <= kMaxTickRate)) {
    error = fmt::format("its tick_rate is {}, but must be from 1 to {}", tick_rate, kMaxTickRate);
    return false;
  }
  out.tick_rate = header.at("tick_rate").get<std::uint32_t>();
  std::vector<std::vector<std::int64_t>> lows;
  const json described = scene.empty() ? json::object() : json::parse(scene);
  out.send_rate = described.value("send_rate", 20U);
  read_types(header, described, out, lows);
  const auto ticks = header.at("ticks").get<std::size_t>();
  if (ticks > kMaxTicks) {
    error = "too many ticks";
    return false;
  }
  ByteReader reader(bytes.subspan(kTraceMagic.size() + 4 + text.size()));
  std::vector<std::size_t> offsets;
  out.values.reserve(reader.remaining() / 4);
  for (std::size_t i = 0; i < ticks; ++i) {
    if (!read_tick(reader, lows, out, offsets, error)) {
      error = error.empty() ? fmt::format("truncated in tick {} of {}", i, ticks)
                            : fmt::format("tick {}: {}", i, error);
      return false;
    }
  }
  if (reader.remaining() > 0) {
    error = fmt::format("{} bytes follow its last tick", reader.remaining());
    return false;
  }
  std::size_t next = 0;
  for (std::vector<TraceEntity>& entities : out.ticks) {
    for (TraceEntity& entity : entities) entity.values = out.values.data() + offsets[next++];
  }
  return true;
} catch (const std::exception& exception) {
  error = exception.what();
  return false;
}

}  // namespace muster
