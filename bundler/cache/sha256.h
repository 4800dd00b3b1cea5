// The hash with which Bazel's cache protocol identifies content.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "registry/base/bytes.h"

namespace muster {

/// SHA-256 (FIPS 180-4), by libsodium.
struct Sha256 {
  std::array<std::byte, 32> bytes{};

  /// 64 lower-case hexadecimal digits.
  std::string to_string() const;
  /// Nothing if the text has another form.
  static std::optional<Sha256> parse(std::string_view text);

  friend auto operator<=>(const Sha256&, const Sha256&) = default;
};

Sha256 sha256(Bytes bytes);

}  // namespace muster
