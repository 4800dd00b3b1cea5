// The lanes of a field. A lane is one number of a field's value. Quantisation, interpolation and
// comparison process a field lane by lane.
#pragma once

#include <cstdint>
#include <cstring>

#include "registry/components/component.h"

namespace muster {

/// The number of lanes of one element. For example, a vec3 has 3 lanes, an integer has 1, and an
/// asset's guid has 2. A text has one lane per byte of its capacity.
constexpr std::uint32_t lane_count(const FieldDescription& field) {
  switch (field.type) {
    case FieldType::vec2:
    case FieldType::asset:
      return 2;
    case FieldType::vec3:
      return 3;
    case FieldType::quaternion:
      return 4;
    case FieldType::text:
      return field.element_bytes;
    default:
      return 1;
  }
}

/// The type of each lane. For example, float for vectors and uint8 for text.
constexpr FieldType lane_type(FieldType type) {
  switch (type) {
    case FieldType::vec2:
    case FieldType::vec3:
    case FieldType::quaternion:
      return FieldType::float32;
    case FieldType::text:
      return FieldType::uint8;
    case FieldType::entity:
      return FieldType::int32;
    case FieldType::asset:
      return FieldType::uint64;
    default:
      return type;
  }
}

constexpr bool is_real(FieldType lane) {
  return lane == FieldType::float32 || lane == FieldType::float64;
}

template <typename T>
T load_lane(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <typename T>
void store_lane(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

/// Calls `visit(T{})` with the C++ type of a lane.
template <typename Visit>
constexpr auto with_lane_type(FieldType lane, Visit visit) {
  switch (lane) {
    case FieldType::int8:
      return visit(std::int8_t{});
    case FieldType::int16:
      return visit(std::int16_t{});
    case FieldType::uint16:
      return visit(std::uint16_t{});
    case FieldType::int32:
      return visit(std::int32_t{});
    case FieldType::uint32:
      return visit(std::uint32_t{});
    case FieldType::int64:
      return visit(std::int64_t{});
    case FieldType::uint64:
      return visit(std::uint64_t{});
    case FieldType::float32:
      return visit(float{});
    case FieldType::float64:
      return visit(double{});
    default:
      return visit(std::uint8_t{});  // `boolean` and `uint8`.
  }
}

/// A whole turn, in the unit of an angle field.
constexpr double whole_turn(const FieldDescription& field) {
  return field.unit == "rad" ? 6.283185307179586 : 360.0;
}

/// A whole turn, rounded to the type `T` of a lane. The comparison with a lane needs this rounding:
/// for example, pi as a float is greater than pi as a double.
template <typename T>
double whole_turn_of(const FieldDescription& field) {
  return static_cast<double>(static_cast<T>(whole_turn(field)));
}

}  // namespace muster
