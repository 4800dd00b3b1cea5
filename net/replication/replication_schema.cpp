// Names are encoded as plain bytes, because they are few and short compared with the other data of
// a setup.
#include "net/replication/replication_schema.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <set>
#include <string>

#include <sodium.h>

#include "registry/base/bytes.h"
#include "registry/base/not_finite.h"

namespace muster {
namespace {

constexpr std::uint32_t kSchemaMagic = 0x3153524D;  // "MRS1"

bool is_name(std::string_view name) { return !name.empty() && name.size() <= kSchemaNameBytesMax; }

/// Values of a rotation: the index of the missing part, and three parts.
constexpr std::uint32_t kRotationValues = 4;
static_assert(kMaxLanes == 1024, "a text in `find_fault` has this number");

const char* find_fault(const FieldSchema& field) {
  if (!is_name(field.name)) return "a field without a name, or with a name that is too long";
  if (field.value_count == 0 || field.value_count > kMaxLanes)
    return "a field with no values, or with more than 1,024";
  if (field.low > field.high) return "a range that ends before it begins";
  if (field.kind > LaneKind::opaque || field.kind == LaneKind::dropped) return "an unknown kind";
  if (field.receivers > Receivers::all_but_owner) return "unknown receivers";
  const std::uint64_t maximum =
      static_cast<std::uint64_t>(field.high) - static_cast<std::uint64_t>(field.low);
  const bool fits = maximum <= 0xFFFF'FFFF;
  if ((field.kind == LaneKind::angle) != (field.period != 0)) return "an angle without a period";
  if (field.period != 0 && (!fits || field.period > 0xFFFF'FFFF || maximum >= 2 * field.period)) {
    return "an angle with a range of more than two turns";
  }
  if (field.kind == LaneKind::rotation &&
      (field.value_count % kRotationValues != 0 || field.low != 0 || maximum < 3 || !fits)) {
    return "an invalid rotation";
  }
  if (!(field.resolution >= 0) || !(field.minimum - field.minimum == 0) ||
      !(field.resolution - field.resolution == 0)) {
    return "a resolution that is not a number";
  }
  return nullptr;
}

const char* find_fault(const ComponentSchema& component) {
  if (!is_name(component.name))
    return "a component without a name, or with a name that is too long";
  if (component.fields.size() > kComponentFieldsMax) return "a component with too many fields";
  std::set<std::string_view> names;
  for (const FieldSchema& field : component.fields) {
    if (const char* fault = find_fault(field)) return fault;
    if (!names.insert(field.name).second) return "two fields with one name";
  }
  return nullptr;
}

std::size_t lane_count(const ComponentSchema& component) {
  std::size_t count = 0;
  for (const FieldSchema& field : component.fields) {
    const bool is_wide =
        static_cast<std::uint64_t>(field.high) - static_cast<std::uint64_t>(field.low) >
        0xFFFF'FFFF;
    count += field.value_count * std::size_t{is_wide ? 2U : 1U};
  }
  return count;
}

class Encoder {
 public:
  void u8(std::uint64_t value) { little(value, 1); }
  void u16(std::uint64_t value) { little(value, 2); }
  void u32(std::uint64_t value) { little(value, 4); }
  void u64(std::uint64_t value) { little(value, 8); }
  void name(std::string_view text) {
    u8(text.size());
    for (const char letter : text) bytes_.push_back(static_cast<std::byte>(letter));
  }
  std::vector<std::byte> release() { return std::move(bytes_); }

 private:
  void little(std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
  }
  std::vector<std::byte> bytes_;
};

std::string read_name(ByteReader& reader) {
  const std::span<const std::byte> bytes = reader.bytes(reader.u8());
  std::string text;
  for (const std::byte byte : bytes) text.push_back(static_cast<char>(byte));
  return text;
}

FieldSchema read_field(ByteReader& reader) {
  FieldSchema field;
  field.name = read_name(reader);
  field.value_count = reader.u16();
  field.low = static_cast<std::int64_t>(reader.u64());
  field.high = static_cast<std::int64_t>(reader.u64());
  field.receivers = static_cast<Receivers>(reader.u8());
  field.kind = static_cast<LaneKind>(reader.u8());
  field.period = reader.u64();
  field.type = reader.u8();
  field.minimum = std::bit_cast<double>(reader.u64());
  field.resolution = std::bit_cast<double>(reader.u64());
  return field;
}

}  // namespace

std::uint64_t lift_into_range(std::int64_t value, std::int64_t low, std::uint64_t maximum,
                              std::uint64_t period, std::uint64_t zero) {
  if (value == kNotFinite) return std::min(zero, maximum);
  const bool is_above = value > low;
  if (period == 0) return is_above ? maximum : 0;
  const std::uint64_t above = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(low);
  const std::uint64_t below = std::uint64_t{0} - above;
  const std::uint64_t turned = is_above ? above % period : (period - below % period) % period;
  return std::min(turned, maximum);
}

std::int64_t bring_into_range(const FieldSchema& field, std::size_t index, std::int64_t value) {
  const bool is_dropped = field.kind == LaneKind::rotation && index % kRotationValues == 0;
  const std::int64_t high = is_dropped ? kRotationValues - 1 : field.high;
  if (value >= field.low && value <= high) return value;
  const std::uint64_t maximum =
      static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(field.low);
  return static_cast<std::int64_t>(
      static_cast<std::uint64_t>(field.low) +
      lift_into_range(value, field.low, maximum, field.period, zero_of(field)));
}

bool is_same_angle(const FieldSchema& field, std::int64_t one, std::int64_t other) {
  if (one == other || field.period == 0 || other == kNotFinite) return one == other;
  const std::uint64_t apart = static_cast<std::uint64_t>(std::max(one, other)) -
                              static_cast<std::uint64_t>(std::min(one, other));
  return apart % field.period == 0;
}

std::uint64_t zero_of(const FieldSchema& field) {
  constexpr double kStepsMax = 9007199254740992.0;  // 2^53
  const double steps = field.resolution > 0 ? -field.minimum / field.resolution : 0;
  const std::int64_t zero =
      std::isnan(steps) ? 0 : std::llround(std::clamp(steps, -kStepsMax, kStepsMax));
  return static_cast<std::uint64_t>(std::clamp(zero, field.low, field.high)) -
         static_cast<std::uint64_t>(field.low);
}

std::size_t ReplicationSchema::value_count(SchemaType type) const {
  std::size_t count = 0;
  for (const SchemaComponent listed : types[schema_index(type)].components) {
    count += component(listed).value_count();
  }
  return count;
}

std::optional<SchemaType> ReplicationSchema::find_type(TypeId id) const {
  const auto found = std::ranges::find(types, id, &ReplicatedType::id);
  if (found == types.end()) return std::nullopt;
  return SchemaType{static_cast<std::uint16_t>(found - types.begin())};
}

const char* find_initial_value_fault(const ReplicationSchema& schema, const ReplicatedType& type) {
  if (type.initial_values.empty()) return nullptr;
  std::size_t next = 0;
  for (const SchemaComponent component : type.components) {
    for (const FieldSchema& field : schema.component(component).fields) {
      for (std::uint32_t i = 0; i < field.value_count; ++i, ++next) {
        const bool is_dropped = field.kind == LaneKind::rotation && i % kRotationValues == 0;
        if (next >= type.initial_values.size() || type.initial_values[next] < field.low ||
            type.initial_values[next] > (is_dropped ? 3 : field.high)) {
          return "an initial value that is out of range";
        }
      }
    }
  }
  return next == type.initial_values.size() ? nullptr : "too many initial values";
}

const char* find_fault(const ReplicationSchema& schema) {
  if (schema.components.size() > kReplicatedComponentsMax) return "too many components";
  if (schema.types.empty() || schema.types.size() > kReplicatedTypesMax) {
    return "no types, or too many";
  }
  std::set<std::string_view> names;
  for (const ComponentSchema& component : schema.components) {
    if (const char* fault = find_fault(component)) return fault;
    if (!names.insert(component.name).second) return "two components with one name";
  }
  std::set<TypeId> ids;
  std::size_t all_lanes = 0;
  for (const ReplicatedType& type : schema.types) {
    if (!ids.insert(type.id).second) return "two types with one id";
    std::size_t lanes = 0;
    for (const SchemaComponent component : type.components) {
      if (schema_index(component) >= schema.components.size()) {
        return "a type with an unknown component";
      }
      lanes += lane_count(schema.component(component));
      if (lanes > kMaxLanes) return "a type with too many values";
    }
    all_lanes += lanes;
    if (all_lanes > kSchemaValuesMax) return "too many values in all types together";
    if (const char* fault = find_initial_value_fault(schema, type)) return fault;
  }
  return nullptr;
}

std::vector<std::byte> encode_schema(const ReplicationSchema& schema) {
  assert(find_fault(schema) == nullptr);
  Encoder encoder;
  encoder.u32(kSchemaMagic);
  encoder.u16(schema.components.size());
  for (const ComponentSchema& component : schema.components) {
    encoder.name(component.name);
    encoder.u16(component.fields.size());
    for (const FieldSchema& field : component.fields) {
      encoder.name(field.name);
      encoder.u16(field.value_count);
      encoder.u64(static_cast<std::uint64_t>(field.low));
      encoder.u64(static_cast<std::uint64_t>(field.high));
      encoder.u8(static_cast<std::uint64_t>(field.receivers));
      encoder.u8(static_cast<std::uint64_t>(field.kind));
      encoder.u64(field.period);
      encoder.u8(field.type);
      encoder.u64(std::bit_cast<std::uint64_t>(field.minimum));
      encoder.u64(std::bit_cast<std::uint64_t>(field.resolution));
    }
  }
  encoder.u16(schema.types.size());
  for (const ReplicatedType& type : schema.types) {
    encoder.u32(type.id.value());
    encoder.u16(type.components.size());
    for (const SchemaComponent component : type.components) encoder.u16(schema_index(component));
    encoder.u16(type.initial_values.size());
    for (const std::int64_t value : type.initial_values)
      encoder.u64(static_cast<std::uint64_t>(value));
  }
  return encoder.release();
}

std::optional<ReplicationSchema> decode_schema(std::span<const std::byte> bytes) {
  if (bytes.size() > kSchemaBytesMax) return std::nullopt;
  ByteReader reader(bytes);
  if (reader.u32() != kSchemaMagic) return std::nullopt;
  ReplicationSchema schema;
  for (std::uint16_t i = reader.u16(); i > 0 && !reader.failed(); --i) {
    ComponentSchema& component = schema.components.emplace_back();
    component.name = read_name(reader);
    for (std::uint16_t k = reader.u16(); k > 0 && !reader.failed(); --k) {
      component.fields.push_back(read_field(reader));
    }
  }
  for (std::uint16_t i = reader.u16(); i > 0 && !reader.failed(); --i) {
    ReplicatedType& type = schema.types.emplace_back();
    type.id = TypeId(reader.u32());
    for (std::uint16_t k = reader.u16(); k > 0 && !reader.failed(); --k) {
      type.components.push_back(SchemaComponent{reader.u16()});
    }
    for (std::uint16_t k = reader.u16(); k > 0 && !reader.failed(); --k) {
      type.initial_values.push_back(static_cast<std::int64_t>(reader.u64()));
    }
  }
  if (!reader.is_finished() || find_fault(schema) != nullptr) return std::nullopt;
  return schema;
}

SchemaHash hash_schema(std::span<const std::byte> encoded) {
  SchemaHash hash;
  crypto_generichash(reinterpret_cast<unsigned char*>(hash.data()), hash.size(),
                     reinterpret_cast<const unsigned char*>(encoded.data()), encoded.size(),
                     nullptr, 0);
  return hash;
}

}  // namespace muster
