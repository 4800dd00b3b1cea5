#include "net/replication/clamped_fields.h"

#include <algorithm>

namespace muster {

ClampedField& ClampedFields::field(SchemaType type, const ComponentSchema& component,
                                   const FieldSchema& field, std::uint32_t first_value) {
  const std::uint64_t key = std::uint64_t{schema_index(type)} << 32U | first_value;
  const auto [found, is_first] = indices_.try_emplace(key, fields_.size());
  if (is_first) {
    fields_.push_back({.type = type,
                       .name = component.name + "." + field.name,
                       .low = field.low,
                       .high = field.high});
  }
  return fields_[found->second];
}

void ClampedFields::add(NetworkId id, SchemaType type, std::span<const std::int64_t> values) {
  // A rotation's first value is the index of one of its four parts.
  constexpr std::int64_t kDroppedMax = 3;
  std::uint32_t first = 0;
  for (const SchemaComponent index : schema_.type(type).components) {
    const ComponentSchema& component = schema_.component(index);
    for (const FieldSchema& described : component.fields) {
      for (std::uint32_t i = 0; i < described.value_count; ++i) {
        const bool is_dropped = described.kind == LaneKind::rotation && i % 4 == 0;
        const std::int64_t high = is_dropped ? kDroppedMax : described.high;
        const std::int64_t value = values[first + i];
        if (value >= described.low && value <= high) continue;
        if (is_same_angle(described, bring_into_range(described, i, value), value)) continue;
        ClampedField& clamped = field(type, component, described, first);
        if (clamped.count++ == 0) {
          clamped.first_id = id;
          clamped.first_value = value;
        }
        ++count_;
      }
      first += described.value_count;
    }
  }
}

}  // namespace muster
