// Vector arithmetic with the same bits on every machine.
#pragma once

#include <cmath>

#include "registry/components/component.h"

namespace muster {

constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr Vec3 operator*(Vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
constexpr float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
/// The square root of IEEE 754 is rounded exactly, so the result is equal on every machine.
inline float length(Vec3 value) { return std::sqrt(dot(value, value)); }
/// The vector with the same direction and length 1. The result is (0, 0, 1) for a vector of length
/// 0.
inline Vec3 normalised(Vec3 value) {
  const float metres = length(value);
  return metres > 0 ? Vec3{value.x / metres, value.y / metres, value.z / metres} : Vec3{0, 0, 1};
}

}  // namespace muster
