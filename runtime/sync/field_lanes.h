// Visits and adds the numbers of a field.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "registry/components/component.h"
#include "registry/components/lanes.h"

namespace muster {

/// The size of a field in its struct, in bytes.
inline std::size_t field_bytes(const FieldDescription& field) {
  return std::size_t{field.count} * field.element_bytes;
}

/// Calls `visit(T{}, offset)` for each number of a field. `T` is the number's type. `offset` is the
/// number's offset in the struct, in bytes.
template <typename Visit>
void each_lane(const FieldDescription& field, Visit visit) {
  with_lane_type(lane_type(field.type), [&]<typename T>(T) {
    const std::size_t end = field.offset_bytes + field_bytes(field);
    for (std::size_t at = field.offset_bytes; at < end; at += sizeof(T)) visit(T{}, at);
  });
}

/// The bytes of a field in a struct.
inline Bytes field_part(const FieldDescription& field, Bytes value) {
  return value.subspan(field.offset_bytes, field_bytes(field));
}

/// Copies a field from one struct to another struct of the same type.
inline void copy_field(const FieldDescription& field, Bytes from, std::span<std::byte> to) {
  std::ranges::copy(field_part(field, from), to.begin() + field.offset_bytes);
}

/// Adds two numbers. A sum of integers is limited to the range of the type. A sum that is not
/// finite becomes 0, because a peer may send NaN or infinity.
template <typename T>
T limited_sum(T left, T right) {
  if constexpr (std::is_integral_v<T>) {
    T sum{};
    if (!__builtin_add_overflow(left, right, &sum)) return sum;
    return right < 0 ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
  } else {
    const T sum = left + right;
    return std::isfinite(sum) ? sum : T{};
  }
}

/// Adds the numbers of a field to the same field of another struct (`limited_sum`).
inline void add_lanes(const FieldDescription& field, Bytes added, std::span<std::byte> sum) {
  each_lane(field, [&]<typename T>(T, std::size_t at) {
    store_lane<T>(&sum[at], limited_sum(load_lane<T>(&sum[at]), load_lane<T>(&added[at])));
  });
}

}  // namespace muster
