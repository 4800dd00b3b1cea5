// Converts a component's values to integers for the wire, and back.
#pragma once

#include <cstdint>
#include <span>

#include "registry/components/component.h"

namespace muster {

/// The possible integers of a lane of a field, both ends included.
struct WireRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
  friend bool operator==(const WireRange&, const WireRange&) = default;
};

/// The number of integers of a field: one per lane of each element.
std::uint32_t wire_value_count(const FieldDescription& field);

/// Whether a field contains rotations with a resolution. Each becomes the index of its largest
/// component and the steps of the other three (`rotation_steps.h`).
bool is_smallest_three(const FieldDescription& field);

/// The range of a field's integers:
/// - A field with a range counts steps from its minimum; integer 0 is the minimum.
/// - A field with only a resolution counts steps from zero, within its type and 32-bit integers (53
///   bits for 64-bit lanes).
/// - A field with neither is exact. Integers are unchanged (64 unsigned bits are read as signed),
///   and floats become their bits in an order that follows their values.
/// - A rotation with a resolution counts steps from 0, with or without a range. The index of the
///   largest component is at most 3.
WireRange wire_range(const FieldDescription& field);

/// Quantises a field of a component. A value is rounded to the nearest step, half away from zero,
/// and clamped to the range; NaN becomes the step nearest to zero; a bool becomes 0 or 1; a text is
/// zero after its end. The result is the same on every machine. Quantising the output of
/// `dequantise` gives the same integers. Requires: `out` has `wire_value_count` elements.
void quantise(const FieldDescription& field, Bytes component, std::span<std::int64_t> out);

/// Like `quantise`, but a value outside the range of a field with steps becomes a step outside
/// `wire_range` (at most 2^62). For a caller that counts such values and clamps them itself.
void quantise_unbounded(const FieldDescription& field, Bytes component,
                        std::span<std::int64_t> out);

/// Writes the values of integers into a component. Integers outside the range are clamped, because
/// they come from the network. Requires: `values` has `wire_value_count` elements.
void dequantise(const FieldDescription& field, std::span<const std::int64_t> values,
                std::span<std::byte> component);

}  // namespace muster
