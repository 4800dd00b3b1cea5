// Parses numbers in the forms that users and the engine write.
#include "bundler/cook/scalar_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

namespace muster {
namespace {

std::optional<double> parse_real(std::string_view text) {
  if (text == "Infinity" || text == ".inf") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity" || text == "-.inf") return -std::numeric_limits<double>::infinity();
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  // Refuses infinities and NaN, because the parser accepts spellings of them that YAML does not
  // have.
  return is_number && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

template <typename Integer>
bool store_integer(std::string_view text, std::byte* to) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  std::memcpy(to, &value, sizeof value);
  return true;
}

// The smallest double that rounds to an infinite float. The largest float is usually written as
// 3.4028235e+38. As a double, this number is slightly larger than the largest float, but smaller
// than this limit.
constexpr double kOverflowsFloat = 0x1.ffffffp127;

template <typename Real>
bool store_real(std::string_view text, std::byte* to) {
  const auto value = parse_real(text);
  if (!value) return false;
  double number = *value;
  if (std::is_same_v<Real, float> && std::isfinite(number)) {
    if (std::abs(number) >= kOverflowsFloat) return false;
    constexpr double kMax = std::numeric_limits<float>::max();
    number = std::clamp(number, -kMax, kMax);
  }
  const Real narrowed = static_cast<Real>(number);
  std::memcpy(to, &narrowed, sizeof narrowed);
  return true;
}

}  // namespace

bool store_float(std::string_view text, std::byte* to) { return store_real<float>(text, to); }

bool store_scalar(FieldType type, std::string_view text, std::byte* to) {
  switch (type) {
    case FieldType::boolean: {
      if (text == "true") text = "1";
      if (text == "false") text = "0";
      std::uint8_t value = 0;
      if (!store_integer<std::uint8_t>(text, reinterpret_cast<std::byte*>(&value)) || value > 1) {
        return false;
      }
      std::memcpy(to, &value, 1);
      return true;
    }
    case FieldType::int8:
      return store_integer<std::int8_t>(text, to);
    case FieldType::uint8:
      return store_integer<std::uint8_t>(text, to);
    case FieldType::int16:
      return store_integer<std::int16_t>(text, to);
    case FieldType::uint16:
      return store_integer<std::uint16_t>(text, to);
    case FieldType::entity:
    case FieldType::int32:
      return store_integer<std::int32_t>(text, to);
    case FieldType::uint32:
      return store_integer<std::uint32_t>(text, to);
    case FieldType::int64:
      return store_integer<std::int64_t>(text, to);
    case FieldType::uint64:
      return store_integer<std::uint64_t>(text, to);
    case FieldType::float32:
      return store_real<float>(text, to);
    case FieldType::float64:
      return store_real<double>(text, to);
    default:
      return false;
  }
}

}  // namespace muster
