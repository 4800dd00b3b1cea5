#include "registry/components/component.h"

#include <algorithm>
#include <bit>

#include "registry/components/field_rules.h"
#include "registry/components/lanes.h"

namespace muster {
namespace {

struct TypeRow {
  FieldType type;
  std::string_view name;
  std::uint32_t size_bytes;
};

constexpr std::array kTypes = {
    TypeRow{FieldType::boolean, "bool", 1},    TypeRow{FieldType::int8, "int8", 1},
    TypeRow{FieldType::uint8, "uint8", 1},     TypeRow{FieldType::int16, "int16", 2},
    TypeRow{FieldType::uint16, "uint16", 2},   TypeRow{FieldType::int32, "int32", 4},
    TypeRow{FieldType::uint32, "uint32", 4},   TypeRow{FieldType::int64, "int64", 8},
    TypeRow{FieldType::uint64, "uint64", 8},   TypeRow{FieldType::float32, "float32", 4},
    TypeRow{FieldType::float64, "float64", 8}, TypeRow{FieldType::vec2, "vec2", 8},
    TypeRow{FieldType::vec3, "vec3", 12},      TypeRow{FieldType::quaternion, "quaternion", 16},
    TypeRow{FieldType::text, "text", 0},       TypeRow{FieldType::entity, "entity", 4},
    TypeRow{FieldType::asset, "asset", 16},
};

// The maximum number of fields in a description from a file. Without this limit, a file could
// request unbounded memory.
constexpr std::size_t kDescribedFieldsMax = 1024;

const TypeRow* row_of(FieldType type) {
  const auto* const found = std::ranges::find(kTypes, type, &TypeRow::type);
  return found == kTypes.end() ? nullptr : found;
}

std::uint64_t end_of(const FieldDescription& field) {
  return field.offset_bytes + std::uint64_t{field.count} * field.element_bytes;
}

// The problem of a field; empty if the field has no problem. The field must not begin before
// `begin`.
std::string_view problem_of(const FieldDescription& field, std::uint64_t begin,
                            std::uint32_t component_bytes) {
  if (field.name.empty()) return "has no name";
  const std::uint32_t natural = size_of(field.type);
  const bool is_sized = field.type == FieldType::text
                            ? field.element_bytes > 0
                            : natural == field.element_bytes && natural > 0;
  if (!is_sized) return "has a wrong element size";
  if (field.count == 0) return "has no elements";
  if (field.offset_bytes < begin) return "overlaps the one before it";
  if (end_of(field) > component_bytes) return "lies outside";
  if (field.receivers > Receivers::all_but_owner) return "has unknown receivers";
  if (field.rollback > RollbackClass::confirmed_only) return "has an unknown rollback class";
  if (field.sampled > Sampling::sum) return "has an unknown sampling";
  if (field.when_missing > Missing::latch) return "has an unknown rule for missing values";
  const FieldRule broken = broken_rule({.type = field.type,
                                        .unit = field.unit,
                                        .minimum = field.minimum,
                                        .maximum = field.maximum,
                                        .resolution = field.resolution,
                                        .tolerance = field.tolerance,
                                        .interpolation = field.interpolation,
                                        .sampled = field.sampled,
                                        .when_missing = field.when_missing,
                                        .is_enumeration = !field.names.empty(),
                                        .has_names = !field.names.empty()});
  if (broken != FieldRule::none) return complaint(broken);
  const std::vector<std::string_view> names(field.names.begin(), field.names.end());
  return are_enumerators(names, field.type, field.minimum, field.maximum)
             ? std::string_view()
             : "has enumerators without a unique name and a valid value";
}

bool has_default_within(const FieldDescription& field, Bytes defaults) {
  return with_lane_type(lane_type(field.type), [&]<typename T>(T) {
    for (std::uint64_t at = field.offset_bytes; at < end_of(field); at += sizeof(T)) {
      const T value = load_lane<T>(defaults.data() + at);
      if (!is_allowed(value, field.minimum, field.maximum, field.names.size())) return false;
    }
    return true;
  });
}

// The first field name that two fields have; empty if all names are different.
std::string_view name_given_twice(const ComponentDescription& component) {
  std::vector<std::string_view> names;
  names.reserve(component.fields.size());
  for (const FieldDescription& field : component.fields) names.push_back(field.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  return twice == names.end() ? std::string_view() : *twice;
}

}  // namespace

std::uint32_t size_of(FieldType type) {
  const TypeRow* row = row_of(type);
  return row == nullptr ? 0 : row->size_bytes;
}

std::string_view to_string(FieldType type) {
  const TypeRow* row = row_of(type);
  return row == nullptr ? "unknown" : row->name;
}

Result<FieldType> field_type_from(std::string_view name) {
  const auto* const found = std::ranges::find(kTypes, name, &TypeRow::name);
  if (found == kTypes.end()) {
    return fail(ErrorCode::malformed, "'" + std::string(name) + "' is not a field type");
  }
  return found->type;
}

const FieldDescription* ComponentDescription::find(std::string_view field) const {
  const auto found = std::ranges::find(fields, field, &FieldDescription::name);
  return found == fields.end() ? nullptr : &*found;
}

ContentHash ComponentDescription::hash() const {
  ByteWriter text;
  text.text(name);
  text.u32(size_bytes);
  text.u32(alignment_bytes);
  for (const FieldDescription& field : fields) {
    text.text(field.name);
    text.u8(static_cast<std::uint8_t>(field.type));
    text.u32(field.offset_bytes);
    text.u32(field.count);
    text.u32(field.element_bytes);
    text.text(field.unit);
    for (const double number : {field.minimum, field.maximum, field.resolution, field.tolerance}) {
      text.f64(number);
    }
    text.u8(static_cast<std::uint8_t>(field.receivers));
    text.u8(static_cast<std::uint8_t>(field.interpolation));
    // `rollback` and `sampled` share one byte, so that a component without sampling has the same
    // hash as before sampling was added.
    text.u8(static_cast<std::uint8_t>(static_cast<unsigned>(field.rollback) |
                                      static_cast<unsigned>(field.sampled) << 4U));
    text.varint(field.names.size());
    for (const std::string& word : field.names) text.text(word);
  }
  return hash_bytes(text.view());
}

Receivers receivers_of(const ComponentDescription& component) {
  if (component.fields.empty()) return Receivers::everyone;
  const Receivers first = component.fields.front().receivers;
  const bool is_one = std::ranges::all_of(
      component.fields, [&](const FieldDescription& field) { return field.receivers == first; });
  return is_one ? first : Receivers::everyone;
}

std::vector<ByteRange> described_ranges(const ComponentDescription& component) {
  std::vector<ByteRange> ranges;
  for (const FieldDescription& field : component.fields) {
    const std::uint32_t end = field.offset_bytes + field.count * field.element_bytes;
    if (!ranges.empty() && ranges.back().end == field.offset_bytes) {
      ranges.back().end = end;
    } else {
      ranges.push_back({field.offset_bytes, end});
    }
  }
  return ranges;
}

ContentHash hash_fields(const ComponentDescription& component, Bytes value) {
  ContentHasher hasher;
  for (const ByteRange& range : described_ranges(component)) {
    hasher.update(value.subspan(range.begin, range.end - range.begin));
  }
  return hasher.finish();
}

Result<void> check(const ComponentDescription& component) {
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorCode::malformed, "component '" + component.name + "': " + why);
  };
  if (component.name.empty()) return refuse("it has no name");
  if (component.size_bytes == 0) return refuse("it has no size");
  if (component.size_bytes > kMaxComponentBytes) return refuse("it is larger than 64 KiB");
  if (!std::has_single_bit(component.alignment_bytes) ||
      component.alignment_bytes > kMaxComponentAlignment) {
    return refuse("its alignment is not 1, 2, 4, 8 or 16");
  }
  if (component.size_bytes % component.alignment_bytes != 0) {
    return refuse("its size is not a multiple of its alignment");
  }
  if (component.fields.size() > kDescribedFieldsMax) return refuse("it has more than 1024 fields");
  if (component.default_value.size() != component.size_bytes) {
    return refuse("its default value has another size than the component");
  }
  std::uint64_t end = 0;
  for (const FieldDescription& field : component.fields) {
    const std::string_view problem = problem_of(field, end, component.size_bytes);
    if (!problem.empty()) return refuse("field '" + field.name + "' " + std::string(problem));
    if (!has_default_within(field, component.default_value)) {
      return refuse("field '" + field.name +
                    "' has a default that is outside its range or is not one of its names");
    }
    end = end_of(field);
  }
  if (const std::string_view twice = name_given_twice(component); !twice.empty()) {
    return refuse("two fields are called '" + std::string(twice) + "'");
  }
  return {};
}

}  // namespace muster
