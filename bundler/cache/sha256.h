// The hash with which Bazel's cache protocol identifies content.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "registry/base/bytes.h"

namespace muster {

/// A SHA-256 hash (FIPS 180-4), computed by libsodium.
struct Sha256 {
  std::array<std::byte, 32> bytes{};

  /// The hash as 64 lower-case hexadecimal digits.
  std::string to_string() const;
  /// Parses the result of `to_string`. Returns no value for any other text.
  static std::optional<Sha256> parse(std::string_view text);

  friend auto operator<=>(const Sha256&, const Sha256&) = default;
};

Sha256 sha256(Bytes bytes);

}  // namespace muster
