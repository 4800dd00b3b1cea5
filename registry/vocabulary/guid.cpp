// Text is parsed by hand: boost's parser also accepts braces, dashes and upper case, and a second
// spelling of an identity is a second file name for one bundle.
#include "registry/vocabulary/guid.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

namespace muster {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

// Digits by their character; 16 and above is none. Upper-case digits have kUpper set. A table,
// because the digits of a guid are random and every branch on one is mispredicted: a project's scan
// parses a guid per hundred bytes.
constexpr std::uint8_t kUpper = 0x40;
constexpr std::uint8_t kNoDigit = 0x80;
constexpr std::array<std::uint8_t, 256> kDigitValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 16; ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = i;
    if (i >= 10) values[static_cast<unsigned char>('A' + i - 10)] = i | kUpper;
  }
  return values;
}();

std::uint8_t digit_value(char c) { return kDigitValues[static_cast<unsigned char>(c)]; }

Result<Guid> parse_digits(std::string_view text, bool upper_allowed) {
  if (text.size() != Guid::kTextLength) {
    return fail(ErrorCode::malformed,
                "a guid has 32 hex digits, not " + std::to_string(text.size()) + " characters");
  }
  boost::uuids::uuid value{};
  unsigned seen = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    const unsigned high = digit_value(text[2 * i]);
    const unsigned low = digit_value(text[2 * i + 1]);
    seen |= high | low;
    value.data[i] = static_cast<std::uint8_t>((high << 4U | (low & 15U)) & 0xFFU);
  }
  if ((seen & (upper_allowed ? kNoDigit : kNoDigit | kUpper)) != 0) {
    return fail(ErrorCode::malformed, "a guid has only the digits 0-9 and a-f");
  }
  return Guid(value);
}

std::uint32_t byte_at(const Guid& guid, std::size_t index) { return guid.uuid().data[index]; }

bool is_period(std::string_view text, std::size_t period) {
  for (std::size_t i = period; i < text.size(); ++i) {
    if (text[i] != text[i - period]) return false;
  }
  return true;
}

// The share of neighbours (at distance `stride`) that count up or down by one, hex wrapping round.
std::size_t counting_steps(std::string_view text, std::size_t stride) {
  std::size_t steps = 0;
  for (std::size_t i = stride; i < text.size(); ++i) {
    const int now = digit_value(text[i]);
    const int before = digit_value(text[i - stride]);
    if (((now - before) & 15) == 1 || ((before - now) & 15) == 1) ++steps;
  }
  return steps;
}

}  // namespace

Result<Guid> Guid::parse(std::string_view text) { return parse_digits(text, false); }
Result<Guid> Guid::parse_any_case(std::string_view text) { return parse_digits(text, true); }

Guid Guid::from_bytes(Bytes bytes) {
  assert(bytes.size() == 16);
  boost::uuids::uuid value{};
  std::memcpy(value.data, bytes.data(), 16);
  return Guid(value);
}

std::string Guid::to_string() const {
  std::string text(kTextLength, '0');
  for (std::size_t i = 0; i < 16; ++i) {
    text[2 * i] = kDigits[value_.data[i] >> 4U];
    text[2 * i + 1] = kDigits[value_.data[i] & 15U];
  }
  return text;
}

WeakReferenceWords words_from_guid(const Guid& guid) {
  const auto word = [&](std::size_t b3, std::size_t b2, std::size_t b1, std::size_t b0) {
    return std::bit_cast<std::int32_t>(byte_at(guid, b3) << 24U | byte_at(guid, b2) << 16U |
                                       byte_at(guid, b1) << 8U | byte_at(guid, b0));
  };
  return {word(0, 1, 2, 3), word(6, 7, 4, 5), word(11, 10, 9, 8), word(15, 14, 13, 12)};
}

Guid guid_from_words(const WeakReferenceWords& words) {
  boost::uuids::uuid value{};
  const auto put = [&](std::int32_t word, std::array<std::size_t, 4> high_to_low) {
    const auto bits = std::bit_cast<std::uint32_t>(word);
    for (std::size_t i = 0; i < 4; ++i) {
      value.data[high_to_low[i]] = static_cast<std::uint8_t>(bits >> (24 - 8 * i));
    }
  };
  put(words[0], {0, 1, 2, 3});
  put(words[1], {6, 7, 4, 5});
  put(words[2], {11, 10, 9, 8});
  put(words[3], {15, 14, 13, 12});
  return Guid(value);
}

bool is_builtin_resource(const Guid& guid) {
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint32_t byte = byte_at(guid, i);
    const bool allowed = i == 8 ? (byte == 0xD0 || byte == 0xE0 || byte == 0xF0) : byte == 0;
    if (!allowed) return false;
  }
  return true;
}

bool looks_like_placeholder(const Guid& guid) {
  if (guid.is_null()) return true;
  const std::string text = guid.to_string();
  for (const std::size_t period : {1U, 2U, 3U, 4U, 5U, 6U, 8U, 10U, 16U}) {
    if (is_period(text, period)) return true;
  }
  // "0123456789abcdef...", "a1b2c3d4e5f6...": random digits count up or down in 1/8 of the places
  // (4 of 31), these in nearly all. 22 is far beyond chance.
  constexpr std::size_t kSuspiciousSteps = 22;
  return counting_steps(text, 1) >= kSuspiciousSteps || counting_steps(text, 2) >= kSuspiciousSteps;
}

}  // namespace muster
