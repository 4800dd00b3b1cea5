// Text is parsed by hand: boost's parser also accepts braces, dashes and upper case, and a second
// spelling of an identity is a second file name for one bundle.
#include "registry/vocabulary/guid.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace muster {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

int digit_value(char c, bool upper_allowed) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (upper_allowed && c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<Guid> parse_digits(std::string_view text, bool upper_allowed) {
  if (text.size() != Guid::kTextLength) {
    return fail(ErrorCode::malformed,
                "a guid has 32 hex digits, not " + std::to_string(text.size()) + " characters");
  }
  boost::uuids::uuid value{};
  for (std::size_t i = 0; i < 16; ++i) {
    const int high = digit_value(text[2 * i], upper_allowed);
    const int low = digit_value(text[2 * i + 1], upper_allowed);
    if (high < 0 || low < 0) {
      return fail(ErrorCode::malformed, "a guid has only the digits 0-9 and a-f");
    }
    value.data[i] = static_cast<std::uint8_t>(high * 16 + low);
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
    const int now = digit_value(text[i], false);
    const int before = digit_value(text[i - stride], false);
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
