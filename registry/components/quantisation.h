// Converts a component's values to integers for the wire, and back.
#pragma once

#include <cstdint>
#include <span>

#include "registry/components/component.h"

namespace muster {

/// The range of the integers for one lane, including `low` and `high`.
struct WireRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
  friend bool operator==(const WireRange&, const WireRange&) = default;
};

/// The number of integers of a field: one per lane of each element.
std::uint32_t wire_value_count(const FieldDescription& field);

/// Whether a field contains rotations with a resolution. Each such rotation is sent as the index of
/// its largest component and the steps of the three other components (`rotation_steps.h`).
bool is_smallest_three(const FieldDescription& field);

/// The range of a field's integers:
/// - An enumeration with names has the integers of its names, from 0.
/// - A field with a range and a resolution counts steps from its minimum; integer 0 is the minimum.
/// - A field with only a resolution counts steps from zero. The steps must fit the field's type,
/// and must fit 32 bits (53 bits for 64-bit lanes).
/// - A field without a resolution is exact. Integers are unchanged (a uint64 is reinterpreted as
/// signed). Floats become integers with the same order as the floats; if the field has a range, the
/// integers have the range of these floats.
/// - A rotation or an integer without a resolution is exact; its range has no effect. (`describe`
/// gives an integer with a range the resolution 1.)
/// - A rotation with a resolution counts steps from 0, even if the field has a range. The index of
/// the largest component is at most 3.
WireRange wire_range(const FieldDescription& field);

/// Quantises a field of a component. A value is rounded to the nearest step (half steps away from
/// zero) and clamped to the range. NaN becomes the step that is nearest to zero. A bool becomes 0
/// or 1. The bytes after the end of a text become 0. The result is the same on every machine.
/// Quantising the output of `dequantise` gives the same integers again. Requires: `out` has
/// `wire_value_count` elements.
void quantise(const FieldDescription& field, Bytes component, std::span<std::int64_t> out);

/// Like `quantise`, but does not clamp values: a result may be outside `wire_range`. Steps are at
/// most 2^62. NaN, and an infinite angle or rotation, become `kNotFinite`, unless the field has
/// neither range nor resolution. Use this function to count the values outside the range before
/// clamping.
void quantise_unbounded(const FieldDescription& field, Bytes component,
                        std::span<std::int64_t> out);

/// The number of an integer, which may be outside `wire_range`, but not `kNotFinite`. Requires: a
/// field of numbers, and not of rotations with a resolution.
double number_of(const FieldDescription& field, std::int64_t integer);

/// Converts integers to values, and writes them into a component. The integers may come from the
/// network, so integers outside the range are clamped. Requires: `values` has `wire_value_count`
/// elements.
void dequantise(const FieldDescription& field, std::span<const std::int64_t> values,
                std::span<std::byte> component);

}  // namespace muster
