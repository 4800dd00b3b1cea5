// The name of a bundle, and its path in a build's output.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "registry/base/content_hash.h"
#include "registry/base/guid.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

/// The name of a bundle: the guid of a prefab, the content hash of a shared bundle, or the hash of
/// the asset and the keys of a variant. Names are ordered as in the catalog.
struct BundleName {
  BundleKind kind = BundleKind::prefab;
  std::array<std::uint8_t, 16> bytes{};

  static BundleName of_prefab(const Guid& guid);
  static BundleName of_shared(const ContentHash& content);
  /// `keys` are in the order of the axes, for example "language=de,quality=low".
  static BundleName of_variant(const Guid& asset, std::string_view keys);

  /// The name as 32 lower-case hex digits.
  std::string to_string() const;
  /// The path below a target's folder: `<folder>/<name>.mbundle`, with the folder of
  /// `kBundleFolders`.
  std::string path() const;

  friend auto operator<=>(const BundleName&, const BundleName&) = default;
};

/// The folders of a target's bundles, by kind.
inline constexpr std::array<std::string_view, 3> kBundleFolders = {"bundles", "shared", "variants"};

/// The result of `BundleName::path` without an allocation, for callers that open thousands of
/// bundles.
class BundlePath {
 public:
  explicit BundlePath(const BundleName& name);
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  /// The text, with the size of the longest path, `variants/<32 digits>.mbundle`.
  std::array<char, 49> text_;
  std::size_t size_ = 0;
};

}  // namespace muster
