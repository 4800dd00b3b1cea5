// Between a component's description and what the network knows of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "net/snapshot/schema.h"
#include "registry/components/component.h"

namespace muster {

/// The wire schema that follows from a description: one field each, in the same order. Each
/// rotation with a resolution is four integers (`LaneKind::rotation`); texts and assets are
/// `opaque`; integers in ticks are `tick`; enumerations, flags and entities are `symbol`.
/// An enumeration says as its `minimum` what `mark_of_names` gives: nobody converts by it.
ComponentSchema wire_schema(const ComponentDescription& component);
FieldSchema wire_schema(const FieldDescription& field);

/// Tells the names of enumerators apart, in their order; a whole number, 0 for none.
double mark_of_names(std::span<const std::string> names);

/// Turns a component into its values for the wire, field after field; and back. What is lost is
/// what the fields' resolutions give up. Values from the network are brought into their ranges.
/// Requires: as many values as `wire_schema(component).value_count()`.
void to_wire(const ComponentDescription& component, Bytes value, std::span<std::int64_t> out);
/// As `to_wire`, with `quantise_unbounded`.
void to_wire_unbounded(const ComponentDescription& component, Bytes value,
                       std::span<std::int64_t> out);
void from_wire(const ComponentDescription& component, std::span<const std::int64_t> values,
               std::span<std::byte> out);

}  // namespace muster
