// Does not use the parser of Boost, which also accepts braces, dashes and upper case. A guid must
// have only one text, because the text is the file name of a bundle.
#include "registry/base/guid.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#include "registry/base/hex.h"

namespace muster {
namespace {

// The value of each hex digit. Upper-case digits have the bit `kUpper`. Bytes that are not digits
// have the value `kNoDigit`. A table is fast, because branches on the random digits of a guid would
// be slow. A scan of a project parses about one guid per 100 bytes.
constexpr std::uint8_t kUpper = 0x40;
constexpr std::uint8_t kNoDigit = 0x80;
constexpr std::array<std::uint8_t, 256> kDigitValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 16; ++i) {
    values[static_cast<unsigned char>(kHexDigits[i])] = i;
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

// ---- Tests for guids that are not random. Each test matches a random guid with a probability of
// at most 10^-10.

using Digits = std::array<std::uint8_t, Guid::kTextLength>;

// The smallest n for which the probability of n or more successes in `trials` trials is below
// 10^-10. `p` is the probability of success in one trial.
constexpr std::size_t beyond_chance(std::size_t trials, double p) {
  double term = 1;
  for (std::size_t i = 0; i < trials; ++i) term *= p;
  double tail = 0;
  for (std::size_t count = trials; count > 0; --count) {
    tail += term;
    if (tail > 1e-10) return count + 1;
    term *= static_cast<double>(count) / static_cast<double>(trials - count + 1) * (1 - p) / p;
  }
  return 1;
}

constexpr std::size_t kDistanceMax = 16;
constexpr std::size_t kStepDistanceMax = 4;
// The limits for each distance d. Each digit is compared with the digit d positions before. A guid
// is not random if at least `kEqualMin[d]` digits are equal to the earlier digit, or if at least
// `kStepsMin[d]` digits are the successor of the earlier digit.
constexpr auto kEqualMin = [] {
  std::array<std::size_t, kDistanceMax + 1> limits{};
  for (std::size_t i = 1; i <= kDistanceMax; ++i) {
    limits[i] = beyond_chance(Guid::kTextLength - i, 1.0 / 16);
  }
  return limits;
}();
constexpr auto kStepsMin = [] {
  // The digits 9 and f have two possible successors each.
  constexpr double kChance = 18.0 / 256;
  std::array<std::size_t, kStepDistanceMax + 1> limits{};
  for (std::size_t i = 1; i <= kStepDistanceMax; ++i) {
    limits[i] = beyond_chance(Guid::kTextLength - i, kChance);
  }
  return limits;
}();

// Whether `now` is a successor of `before`: in hexadecimal digits, in decimal digits (0 after 9),
// or in letters (a after f).
bool counts_on(std::uint8_t before, std::uint8_t now) {
  if (before == 9) return now == 10 || now == 0;
  if (before == 15) return now == 0 || now == 10;
  return now == before + 1;
}

std::size_t count_equal(const Digits& digits, std::size_t distance) {
  std::size_t equal = 0;
  for (std::size_t i = distance; i < digits.size(); ++i) {
    equal += digits[i] == digits[i - distance] ? 1U : 0U;
  }
  return equal;
}

// True if many digits, or a long run of digits, count up or down at one distance. With distance 2,
// the digits at even and at odd positions count separately.
bool counts(const Digits& digits, std::size_t distance) {
  constexpr std::size_t kRunMin = 9;
  std::array<std::size_t, 2> steps{};  // The number of steps up, and the number of steps down.
  std::array<std::array<std::size_t, 2>, kStepDistanceMax> runs{};
  for (std::size_t i = distance; i < digits.size(); ++i) {
    const std::array<bool, 2> is_step = {counts_on(digits[i - distance], digits[i]),
                                         counts_on(digits[i], digits[i - distance])};
    for (std::size_t direction = 0; direction < is_step.size(); ++direction) {
      std::size_t& run = runs[i % distance][direction];
      steps[direction] += is_step[direction] ? 1U : 0U;
      run = is_step[direction] ? run + 1 : 0;
      if (run >= kRunMin) return true;
    }
  }
  return std::ranges::max(steps) >= kStepsMin[distance];
}

// True for a run of one repeated digit.
bool repeats_one(const Digits& digits) {
  constexpr std::size_t kRunMin = 9;
  std::size_t run = 1;
  for (std::size_t i = 1; i < digits.size(); ++i) {
    run = digits[i] == digits[i - 1] ? run + 1 : 1;
    if (run >= kRunMin) return true;
  }
  return false;
}

// True if a guid has few different digits, has only letters, or alternates letters and digits.
bool has_odd_digits(const Digits& digits) {
  constexpr std::size_t kDifferentMax = 5;
  unsigned seen = 0;
  std::size_t letters = 0;
  std::size_t changes = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    seen |= 1U << digits[i];
    letters += digits[i] >= 10 ? 1U : 0U;
    if (i > 0) changes += (digits[i] >= 10) != (digits[i - 1] >= 10) ? 1U : 0U;
  }
  return static_cast<std::size_t>(std::popcount(seen)) <= kDifferentMax ||
         letters == digits.size() || changes == digits.size() - 1;
}

// True for bytes that are an ASCII text.
bool spells_text(const Guid& guid) {
  return std::ranges::all_of(guid.bytes(), [](std::byte byte) {
    const char c = static_cast<char>(byte);
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == ' ';
  });
}

// Guids from published documents, which users copy.
constexpr std::array<std::string_view, 6> kExamples = {
    "123e4567e89b12d3a456426614174000", "123e4567e89b12d3a456426655440000",
    "550e8400e29b41d4a716446655440000", "6ba7b8109dad11d180b400c04fd430c8",
    "f47ac10b58cc4372a5670e02b2c3d479", "f81d4fae7dec11d0a76500a0c91e6bf6"};

}  // namespace

Result<Guid> Guid::parse(std::string_view text) { return parse_digits(text, false); }
Result<Guid> Guid::parse_any_case(std::string_view text) { return parse_digits(text, true); }

Guid Guid::from_bytes(Bytes bytes) {
  assert(bytes.size() == 16);
  boost::uuids::uuid value{};
  std::memcpy(value.data, bytes.data(), 16);
  return Guid(value);
}

std::string Guid::to_string() const { return hex_text(std::as_bytes(std::span(value_.data))); }

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

// The engine's own guids have one digit that is not zero. The digits `d` to `f` mean resources. The
// other digits mean settings of a project, such as tags and inputs.
bool is_builtin_resource(const Guid& guid) {
  constexpr std::size_t kNumberAt = 8;
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint32_t byte = byte_at(guid, i);
    const bool allowed = i == kNumberAt ? byte != 0 && (byte & 0x0FU) == 0 : byte == 0;
    if (!allowed) return false;
  }
  return true;
}

bool is_likely_placeholder(const Guid& guid) {
  if (guid.is_null()) return true;
  const std::string text = guid.to_string();
  Digits digits{};
  std::ranges::transform(text, digits.begin(), digit_value);
  for (std::size_t distance = 1; distance <= kDistanceMax; ++distance) {
    if (count_equal(digits, distance) >= kEqualMin[distance]) return true;
    if (distance <= kStepDistanceMax && counts(digits, distance)) return true;
  }
  return repeats_one(digits) || has_odd_digits(digits) || spells_text(guid) ||
         std::ranges::find(kExamples, text) != kExamples.end();
}

}  // namespace muster
