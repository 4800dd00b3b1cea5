// Converts a component's description to its network schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
/// `bring_into_range` does. Calls `on_moved` with the index of each field that had such a value.
/// Requires: `schema` is the component's `wire_schema`.
void to_wire_bounded(const ComponentDescription& component, const ComponentSchema& schema,
                     Bytes value, std::span<std::int64_t> out,
                     const std::function<void(std::size_t)>& on_moved);
void from_wire(const ComponentDescription& component, std::span<const std::int64_t> values,
               std::span<std::byte> out);

}  // namespace muster
