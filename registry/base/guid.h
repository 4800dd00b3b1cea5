// The identity of an asset.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <boost/uuid/uuid.hpp>

#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

/// The identity of an asset: 16 bytes, written as 32 lower-case hex digits (first byte first). All
/// zero means "none". A value type, safe to copy between threads.
class Guid {
 public:
  static constexpr std::size_t kTextLength = 32;

  /// The null guid.
  constexpr Guid() : value_{} {}
  explicit constexpr Guid(const boost::uuids::uuid& value) : value_(value) {}

  /// Parses the canonical text. Fails with `malformed` for any other text, also with upper case,
  /// dashes, braces or blanks.
  static Result<Guid> parse(std::string_view text);

  /// Parses 32 hex digits in upper or lower case. Some editors write upper case into `.meta` files.
  static Result<Guid> parse_any_case(std::string_view text);

  /// Requires: exactly 16 bytes.
  static Guid from_bytes(Bytes bytes);

  bool is_null() const { return value_.is_nil(); }
  std::string to_string() const;
  Bytes bytes() const {
    return std::as_bytes(std::span<const std::uint8_t>(value_.data, sizeof value_.data));
  }
  const boost::uuids::uuid& uuid() const { return value_; }

  friend bool operator==(const Guid& a, const Guid& b) { return a.value_ == b.value_; }
  friend std::strong_ordering operator<=>(const Guid& a, const Guid& b) {
    if (a.value_ == b.value_) return std::strong_ordering::equal;
    return a.value_ < b.value_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }

 private:
  boost::uuids::uuid value_;
};

/// A weak reference as four integers (`val0..val3` in Unity projects). The bytes of the guid are
/// first put into the order of a Microsoft GUID, whose first three groups are little-endian. Then
/// every four bytes are read as a signed little-endian integer. For example,
/// `00112233445566778899aabbccddeeff` is 0x00112233, 0x66774455, 0xBBAA9988, 0xFFEEDDCC. All zero
/// means that the reference is not set.
using WeakReferenceWords = std::array<std::int32_t, 4>;

/// Converts to the four-integer form. The inverse of `guid_from_words`.
WeakReferenceWords words_from_guid(const Guid& guid);
Guid guid_from_words(const WeakReferenceWords& words);

/// True for guids that belong to the engine and have no `.meta` file. These are the built-in
/// resources `0000000000000000e000000000000000`, `...f0...` and (in older editors) `...d0...`, and
/// the project settings `...10...` to `...c0...`.
bool is_builtin_resource(const Guid& guid);

/// True if a guid does not look random. Such a guid has repeated or counting digits
/// (`a1b2c3d4e5f6...`, `...000042`), has few different digits, contains an ASCII text, or is an
/// example in a public document. In a test with a million random guids, the result was always
/// false.
bool is_likely_placeholder(const Guid& guid);

}  // namespace muster

template <>
struct std::hash<muster::Guid> {
  std::size_t operator()(const muster::Guid& guid) const noexcept {
    // Guids are random already; mixing two words is enough for a table.
    std::uint64_t words[2];
    std::memcpy(words, guid.uuid().data, sizeof words);
    return static_cast<std::size_t>(words[0] ^ (words[1] * 0x9E3779B97F4A7C15ULL));
  }
};
