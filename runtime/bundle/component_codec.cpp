#include "runtime/bundle/component_codec.h"

#include <string>

#include "runtime/bundle/bundle_layout.h"

namespace muster {
namespace {

// Three small enumerators share a byte.
constexpr unsigned kSampledShift = 4;
constexpr unsigned kMissingShift = 6;

void encode_field(const FieldDescription& field, ByteWriter& out) {
  out.text(field.name);
  out.u8(static_cast<std::uint8_t>(field.type));
  out.varint(field.offset_bytes);
  out.varint(field.count);
  out.varint(field.element_bytes);
  out.text(field.unit);
  for (const double number : {field.minimum, field.maximum, field.resolution, field.tolerance}) {
    out.f64(number);
  }
  out.u8(static_cast<std::uint8_t>(field.receivers));
  out.u8(static_cast<std::uint8_t>(field.interpolation));
  out.u8(static_cast<std::uint8_t>(static_cast<unsigned>(field.rollback) |
                                   static_cast<unsigned>(field.sampled) << kSampledShift |
                                   static_cast<unsigned>(field.when_missing) << kMissingShift));
  out.varint(field.names.size());
  for (const std::string& word : field.names) out.text(word);
}

std::uint32_t read_u32(ByteReader& in) {
  const std::uint64_t value = in.varint();
  if (value > 0xFFFFFFFFU) in.fail();
  return static_cast<std::uint32_t>(value);
}

// Reads an enumerator no larger than `last`.
template <typename Enum>
Enum read_enum(ByteReader& in, Enum last) {
  const std::uint8_t value = in.u8();
  if (value > static_cast<std::uint8_t>(last)) in.fail();
  return static_cast<Enum>(value);
}

FieldDescription decode_field(ByteReader& in) {
  FieldDescription field;
  field.name = in.text();
  field.type = read_enum(in, FieldType::asset);
  field.offset_bytes = read_u32(in);
  field.count = read_u32(in);
  field.element_bytes = read_u32(in);
  field.unit = in.text();
  field.minimum = in.f64();
  field.maximum = in.f64();
  field.resolution = in.f64();
  field.tolerance = in.f64();
  field.receivers = read_enum(in, Receivers::all_but_owner);
  field.interpolation = read_enum(in, Interpolation::angle);
  const unsigned rules = in.u8();
  field.rollback = static_cast<RollbackClass>(rules & 15U);
  field.sampled = static_cast<Sampling>((rules >> kSampledShift) & 3U);
  field.when_missing = static_cast<Missing>(rules >> kMissingShift);
  const std::uint64_t name_count = in.varint();
  for (std::uint64_t i = 0; i < name_count && !in.failed(); ++i)
    field.names.emplace_back(in.text());
  return field;
}

}  // namespace

void encode_component(const ComponentDescription& component, ByteWriter& out) {
  out.varint(component.fields.size());
  for (const FieldDescription& field : component.fields) encode_field(field, out);
  out.bytes(component.default_value);
}

Result<ComponentDescription> decode_component(Bytes bytes, const ComponentShape& shape) {
  ComponentDescription component;
  component.name = shape.name;
  component.size_bytes = shape.size_bytes;
  component.alignment_bytes = shape.alignment_bytes;
  ByteReader in(bytes);
  const std::uint64_t field_count = in.varint();
  if (field_count > layout::catalog::kMaxFields) in.fail();
  for (std::uint64_t i = 0; i < field_count && !in.failed(); ++i) {
    component.fields.push_back(decode_field(in));
  }
  const Bytes value = in.bytes(shape.size_bytes);
  if (in.failed() || in.remaining() != 0) {
    return fail(ErrorCode::malformed,
                "the description of component '" + component.name + "' does not fit its bytes");
  }
  component.default_value.assign(value.begin(), value.end());
  if (Result<void> sane = check(component); !sane) return fail(sane.error());
  return component;
}

}  // namespace muster
