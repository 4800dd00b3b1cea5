#include "runtime/replication/wire_schema.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "registry/components/lanes.h"
#include "registry/components/quantisation.h"

namespace muster {
namespace {

/// 1/sqrt(2), which is the maximum absolute value of the three smaller components of a rotation.
constexpr double kHalfRoot = 0.7071067811865476;

LaneKind kind_of(const FieldDescription& field) {
  switch (field.type) {
    case FieldType::boolean:
    case FieldType::entity:
      return LaneKind::symbol;
    case FieldType::text:
    case FieldType::asset:
      return LaneKind::opaque;
    default:
      break;
  }
  if (!field.names.empty()) return LaneKind::symbol;
  if (is_smallest_three(field)) return LaneKind::rotation;
  if (field.unit == "tick" && !is_real(lane_type(field.type))) return LaneKind::tick;
  const bool has_steps = field.resolution > 0;
  if (field.interpolation == Interpolation::angle && has_steps) return LaneKind::angle;
  return LaneKind::number;
}

}  // namespace

// The FNV-1a hash of the names, each followed by a zero byte. Only 44 bits are used, because a
// double stores integers of at most 53 bits exactly.
double mark_of_names(std::span<const std::string> names) {
  if (names.empty()) return 0;
  std::uint64_t hash = 0xCBF2'9CE4'8422'2325;
  const auto add = [&](char letter) {
    hash = (hash ^ static_cast<std::uint8_t>(letter)) * 0x0000'0100'0000'01B3;
  };
  for (const std::string& name : names) {
    for (const char letter : name) add(letter);
    add('\0');
  }
  // The low 8 bits are the number of names, at most 255.
  return static_cast<double>((hash >> 20U) << 8U | std::min<std::uint64_t>(names.size(), 255));
}

FieldSchema wire_schema(const FieldDescription& field) {
  const WireRange range = wire_range(field);
  FieldSchema schema{.name = field.name,
                     .value_count = wire_value_count(field),
                     .low = range.low,
                     .high = range.high,
                     .receivers = field.receivers,
                     .kind = kind_of(field),
                     .period = 0,
                     .type = static_cast<std::uint8_t>(field.type),
                     .minimum = field.minimum,
                     .resolution = field.resolution};
  if (!field.names.empty()) {
    schema.minimum = mark_of_names(field.names);
    schema.resolution = 0;
  }
  if (schema.kind == LaneKind::angle) {
    schema.period = static_cast<std::uint64_t>(std::llround(whole_turn(field) / field.resolution));
  }
  if (schema.kind == LaneKind::rotation) {
    schema.minimum = -kHalfRoot;
    schema.resolution = 2 * kHalfRoot / static_cast<double>(range.high);
  }
  return schema;
}

ComponentSchema wire_schema(const ComponentDescription& component) {
  ComponentSchema schema{.name = component.name, .fields = {}};
  schema.fields.reserve(component.fields.size());
  for (const FieldDescription& field : component.fields)
    schema.fields.push_back(wire_schema(field));
  return schema;
}

void to_wire(const ComponentDescription& component, Bytes value, std::span<std::int64_t> out) {
  for (const FieldDescription& field : component.fields) {
    const std::uint32_t count = wire_value_count(field);
    quantise(field, value, out.first(count));
    out = out.subspan(count);
  }
  assert(out.empty());
}

void to_wire_unbounded(const ComponentDescription& component, Bytes value,
                       std::span<std::int64_t> out) {
  for (const FieldDescription& field : component.fields) {
    const std::uint32_t count = wire_value_count(field);
    quantise_unbounded(field, value, out.first(count));
    out = out.subspan(count);
  }
  assert(out.empty());
}

void from_wire(const ComponentDescription& component, std::span<const std::int64_t> values,
               std::span<std::byte> out) {
  for (const FieldDescription& field : component.fields) {
    const std::uint32_t count = wire_value_count(field);
    dequantise(field, values.first(count), out);
    values = values.subspan(count);
  }
  assert(values.empty());
}

}  // namespace muster
