// From a component's values to the integers that travel, and back.
#pragma once

#include <cstdint>
#include <span>

#include "registry/components/component.h"

namespace muster {

/// The integers that a lane of a field can become, both ends included.
struct WireRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
  friend bool operator==(const WireRange&, const WireRange&) = default;
};

/// How many integers a field becomes: one per lane of each element.
std::uint32_t wire_value_count(const FieldDescription& field);

/// Whether a field is rotations with a resolution. Each becomes the index of its greatest component
/// and the steps of the three others (`rotation_steps.h`).
bool is_smallest_three(const FieldDescription& field);

/// The range of all of them. A field with a range counts its steps from the minimum, which is 0;
/// one with a resolution alone counts from zero, as far as its type and an integer of 32 bits go
/// (53 bits, where its lanes have 64). One without is exact: integers are themselves (64 unsigned
/// bits as if they were signed), floats their bits in an order that follows their values. Rotations
/// with a resolution count from 0, whatever their range; the index of the greatest is at most 3.
WireRange wire_range(const FieldDescription& field);

/// Quantises a field of a component: rounds to the nearest step, half away from zero; what lies
/// outside the range becomes its end; what is no number becomes the step nearest to zero; a bool is
/// 0 or 1 whatever its byte; a text is all zero behind its end. The same on every machine.
/// Quantising what `dequantise` made of such integers gives the same integers. Requires: `out` has
/// `wire_value_count` places.
void quantise(const FieldDescription& field, Bytes component, std::span<std::int64_t> out);

/// As `quantise`, but a value outside the range of a field with steps is a step outside
/// `wire_range` (2^62 at most): for a caller that counts such values and brings them into the range
/// itself.
void quantise_unbounded(const FieldDescription& field, Bytes component,
                        std::span<std::int64_t> out);

/// Puts the values of integers into a component. Integers outside the range become its end: they
/// come from the network. Requires: `values` has `wire_value_count` places.
void dequantise(const FieldDescription& field, std::span<const std::int64_t> values,
                std::span<std::byte> component);

}  // namespace muster
