#include "registry/project/build_output.h"

#include <algorithm>

namespace muster {

bool may_hold_build(const AssetPath& path) {
  return path.is_within(AssetPath().child("Assets").child("StreamingAssets"));
}

bool is_build_output(const AssetPath& folder, std::span<const DirectoryEntry> entries) {
  return may_hold_build(folder) &&
         std::ranges::find(entries, kStateName, &DirectoryEntry::name) != entries.end();
}

}  // namespace muster
