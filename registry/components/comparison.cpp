#include "registry/components/comparison.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "registry/components/lanes.h"

namespace muster {
namespace {

template <typename T>
double lane_difference(T left, T right, const FieldDescription& field) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(left) || std::isnan(right)) {
      return std::isnan(left) && std::isnan(right) ? 0 : std::numeric_limits<double>::infinity();
    }
    if (left == right) return 0;  // The difference of equal infinities would be NaN.
    const double difference = static_cast<double>(left) - static_cast<double>(right);
    if (field.interpolation != Interpolation::angle) return std::abs(difference);
    const double around = std::abs(std::remainder(difference, whole_turn_of<T>(field)));
    return std::isnan(around) ? std::numeric_limits<double>::infinity() : around;
  } else {
    const auto [low, high] = std::minmax(left, right);
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<double>(
        static_cast<Unsigned>(static_cast<Unsigned>(high) - static_cast<Unsigned>(low)));
  }
}

// The text up to its first zero byte.
std::string_view text_of(const FieldDescription& field, const std::byte* at) {
  const std::string_view all(reinterpret_cast<const char*>(at), field.element_bytes);
  return all.substr(0, all.find('\0'));
}

// The largest difference between the lanes of one element.
double element_difference(const FieldDescription& field, const std::byte* left,
                          const std::byte* right) {
  if (field.type == FieldType::text) {
    return text_of(field, left) == text_of(field, right) ? 0 : 1;
  }
  if (field.type == FieldType::boolean) {
    return (*left != std::byte{}) == (*right != std::byte{}) ? 0 : 1;
  }
  if (field.type == FieldType::asset || field.type == FieldType::entity) {
    return std::memcmp(left, right, field.element_bytes) == 0 ? 0 : 1;
  }
  if (field.type == FieldType::quaternion) {
    const auto a = load_lane<std::array<float, 4>>(left);
    const auto b = load_lane<std::array<float, 4>>(right);
    double same = 0;
    double negated = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      same = std::max(same, lane_difference(a[i], b[i], field));
      negated = std::max(negated, lane_difference(a[i], -b[i], field));
    }
    return std::min(same, negated);
  }
  double largest = 0;
  with_lane_type(lane_type(field.type), [&]<typename T>(T) {
    for (std::uint32_t lane = 0; lane < lane_count(field); ++lane) {
      const std::size_t at = lane * sizeof(T);
      largest = std::max(largest,
                         lane_difference(load_lane<T>(left + at), load_lane<T>(right + at), field));
    }
  });
  return largest;
}

std::string shortest(double number) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), written.ptr};
}

}  // namespace

std::string FieldDifference::to_string() const {
  std::string text = field->name;
  if (field->count > 1) text += "[" + std::to_string(element) + "]";
  text += ": differs by " + shortest(amount);
  if (!field->unit.empty()) text += " " + field->unit;
  return text + " (tolerance " + shortest(field->tolerance) + ")";
}

std::optional<FieldDifference> first_difference(const ComponentDescription& component, Bytes left,
                                                Bytes right) {
  assert(left.size() >= component.size_bytes && right.size() >= component.size_bytes);
  if (std::memcmp(left.data(), right.data(), component.size_bytes) == 0) return std::nullopt;
  for (const FieldDescription& field : component.fields) {
    for (std::uint32_t i = 0; i < field.count; ++i) {
      const std::size_t at = field.offset_bytes + std::size_t{i} * field.element_bytes;
      const double amount = element_difference(field, left.data() + at, right.data() + at);
      if (amount > field.tolerance) return FieldDifference{&field, i, amount};
    }
  }
  return std::nullopt;
}

}  // namespace muster
