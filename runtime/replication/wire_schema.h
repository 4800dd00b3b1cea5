// Converts a component's description to its network schema.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "net/snapshot/schema.h"
#include "registry/components/component.h"

namespace muster {

/// The wire schema of a description: one field each, in the same order. Each rotation with a
/// resolution is four integers (`LaneKind::rotation`); texts and assets are `opaque`; integers in
/// ticks are `tick`; enumerations, flags and entities are `symbol`. The `minimum` of an enumeration
/// is the result of `mark_of_names`; no value is converted by it.
ComponentSchema wire_schema(const ComponentDescription& component);
FieldSchema wire_schema(const FieldDescription& field);

/// A whole number that is computed from the names of enumerators and their order; 0 without names.
double mark_of_names(std::span<const std::string> names);

/// Converts a component to its values for the wire, field after field, and back. Values lose the
/// precision below the fields' resolutions. Values from the network are brought into their ranges.
/// Requires: as many values as `wire_schema(component).value_count()`.
void to_wire(const ComponentDescription& component, Bytes value, std::span<std::int64_t> out);
/// Like `to_wire`, with `quantise_unbounded`.
void to_wire_unbounded(const ComponentDescription& component, Bytes value,
                       std::span<std::int64_t> out);
void from_wire(const ComponentDescription& component, std::span<const std::int64_t> values,
               std::span<std::byte> out);

}  // namespace muster
