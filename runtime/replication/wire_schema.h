// Converts a component's description to its network schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "net/replication/replication_schema.h"
#include "registry/components/component.h"

namespace muster {

/// The wire schema of a description, with the same fields in the same order. A rotation with a
/// resolution has four integers (`LaneKind::rotation`). Texts and assets are `opaque`, integers in
/// ticks are `tick`, and enumerations, flags and entities are `symbol`. The `minimum` of an
/// enumeration is the result of `mark_of_names`. This minimum does not change the conversion of
/// values.
ComponentSchema wire_schema(const ComponentDescription& component);
FieldSchema wire_schema(const FieldDescription& field);

/// A whole number that is computed from the names of enumerators and their order; 0 if there are no
/// names.
double mark_of_names(std::span<const std::string> names);

/// Converts a component to its values on the wire, field after field. `from_wire` converts the
/// values back. Values are rounded to the resolution of their field. `from_wire` clamps values from
/// the network to the range of their field. Requires: the number of values is
/// `wire_schema(component).value_count()`.
void to_wire(const ComponentDescription& component, Bytes value, std::span<std::int64_t> out);
/// Does the same as `to_wire`, but uses `quantise_unbounded`.
void to_wire_unbounded(const ComponentDescription& component, Bytes value,
                       std::span<std::int64_t> out);
/// Does the same as `to_wire_unbounded`, and then moves values into their ranges as
/// `bring_into_range` does. Calls `on_clamped(index, values)` for each field that had a value that
/// turns do not bring into the range, with the field's index and its new values. Requires: `schema`
/// is the component's `wire_schema`.
template <typename F>
void to_wire_bounded(const ComponentDescription& component, const ComponentSchema& schema,
                     Bytes value, std::span<std::int64_t> out, F on_clamped) {
  to_wire_unbounded(component, value, out);
  for (std::size_t index = 0; index < schema.fields.size(); ++index) {
    const FieldSchema& field = schema.fields[index];
    const std::span<std::int64_t> values = out.first(field.value_count);
    out = out.subspan(field.value_count);
    bool is_clamped = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t bounded = bring_into_range(field, i, values[i]);
      is_clamped = is_clamped || !is_same_angle(field, bounded, values[i]);
      values[i] = bounded;
    }
    if (is_clamped) on_clamped(index, std::span<const std::int64_t>(values));
  }
}
void from_wire(const ComponentDescription& component, std::span<const std::int64_t> values,
               std::span<std::byte> out);

}  // namespace muster
