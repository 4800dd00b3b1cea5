// What a bundle is called, and where it lies in a build's output.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include "registry/vocabulary/content_hash.h"
#include "registry/vocabulary/guid.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

/// The name of a bundle: a prefab's guid, or the content hash of a shared one. Ordered as in the
/// catalog.
struct BundleName {
  BundleKind kind = BundleKind::prefab;
  std::array<std::uint8_t, 16> bytes{};

  static BundleName of_prefab(const Guid& guid);
  static BundleName of_shared(const ContentHash& content);

  /// 32 lower-case hex digits.
  std::string to_string() const;
  /// The path below a target's folder: `bundles/<name>.mbundle` or `shared/<name>.mbundle`.
  std::string path() const;

  friend auto operator<=>(const BundleName&, const BundleName&) = default;
};

}  // namespace muster
