#include "runtime/bundle/bundle_name.h"

#include <algorithm>

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

std::string BundleName::path() const {
  return (kind == BundleKind::prefab ? "bundles/" : "shared/") + to_string() + ".mbundle";
}

}  // namespace muster
