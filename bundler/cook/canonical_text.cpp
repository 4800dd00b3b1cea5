#include "bundler/cook/canonical_text.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <type_traits>

namespace muster {
namespace {

// A buffer for the shortest text of any 64-bit integer or double, for example
// "-2.2250738585072014e-308".
using Digits = std::array<char, 32>;

template <typename Number>
std::string_view write(Number value, Digits& digits) {
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  assert(error == std::errc());
  return {digits.data(), static_cast<std::size_t>(end - digits.data())};
}

template <typename Number>
std::optional<Number> canonical(std::string_view text) {
  // Most scalars are words, so a check of the first character avoids most parsing.
  if (text.empty() || text.size() > Digits().size()) return std::nullopt;
  if (text[0] != '-' && (text[0] < '0' || text[0] > '9')) return std::nullopt;
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  if constexpr (!std::is_integral_v<Number>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  Digits digits;
  if (write(value, digits) != text) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> canonical_integer(std::string_view text) {
  return canonical<std::int64_t>(text);
}
std::optional<float> canonical_real32(std::string_view text) { return canonical<float>(text); }
std::optional<double> canonical_real64(std::string_view text) { return canonical<double>(text); }

std::optional<std::int32_t> canonical_i32(std::string_view text) {
  const std::optional<std::int64_t> value = canonical_integer(text);
  if (!value || *value < std::numeric_limits<std::int32_t>::min() ||
      *value > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(*value);
}

std::optional<Guid> canonical_guid(std::string_view text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (text.size() != Guid::kTextLength || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  return Guid::parse(text).value();
}

std::string text_of(std::int64_t value) {
  Digits digits;
  return std::string(write(value, digits));
}
std::string text_of(float value) {
  Digits digits;
  return std::string(write(value, digits));
}
std::string text_of(double value) {
  Digits digits;
  return std::string(write(value, digits));
}

}  // namespace muster
