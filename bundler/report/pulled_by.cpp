#include "bundler/report/pulled_by.h"

#include <algorithm>

#include "registry/model/stripping.h"

namespace muster {

std::vector<AssetNumber> pulled_by(const Project& project, Target target) {
  const AssetIndex& index = project.index();
  std::vector<AssetNumber> before(index.assets().size(), kNoAsset);
  std::vector<bool> seen(index.assets().size(), false);
  std::vector<AssetNumber> queue;
  const auto start_from = [&](AssetNumber asset) {
    if (asset == kNoAsset || seen[asset]) return;
    seen[asset] = true;
    queue.push_back(asset);
  };
  const Stripping& stripping = project.stripping(target);
  for (const AssetNumber start : stripping.starts()) start_from(start);
  std::vector<AssetNumber> next;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (is_script(index.at(queue[i]).path)) continue;
    next.clear();
    for (const ReferenceEdge& edge : stripping.graph().from(queue[i])) {
      if (edge.is_strong() && edge.to != kNoAsset && !seen[edge.to]) next.push_back(edge.to);
    }
    std::ranges::sort(next);
    for (const AssetNumber to : next) {
      if (seen[to]) continue;
      seen[to] = true;
      before[to] = queue[i];
      queue.push_back(to);
    }
  }
  return before;
}

}  // namespace muster
