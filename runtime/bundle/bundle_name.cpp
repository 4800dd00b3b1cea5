#include "runtime/bundle/bundle_name.h"

#include <algorithm>
#include <string_view>

namespace muster {

BundleName BundleName::of_prefab(const Guid& guid) {
  BundleName name{.kind = BundleKind::prefab};
  std::ranges::copy(guid.uuid().data, name.bytes.begin());
  return name;
}

BundleName BundleName::of_shared(const ContentHash& content) {
  return {.kind = BundleKind::shared, .bytes = content.bytes};
}

std::string BundleName::to_string() const { return ContentHash{bytes}.to_string(); }

// One string and one allocation: whoever opens a bundle asks for its path.
std::string BundleName::path() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::string_view kExtension = ".mbundle";
  const std::string_view folder = kind == BundleKind::prefab ? "bundles/" : "shared/";
  std::string text(folder.size() + 2 * bytes.size() + kExtension.size(), '\0');
  auto at = std::ranges::copy(folder, text.begin()).out;
  for (const std::uint8_t byte : bytes) {
    *at++ = kDigits[byte >> 4U];
    *at++ = kDigits[byte & 15U];
  }
  std::ranges::copy(kExtension, at);
  return text;
}

}  // namespace muster
