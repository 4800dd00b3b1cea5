#include "bundler/report/prefab_loads.h"

#include <algorithm>

namespace muster {
namespace {

LoadSpread load_spread(const std::vector<PrefabLoad>& loads, std::uint64_t PrefabLoad::*number) {
  LoadSpread found;
  std::vector<std::uint64_t> sorted;
  for (const PrefabLoad& load : loads) {
    sorted.push_back(load.*number);
    if (found.worst.empty() || load.*number > found.max) {
      found.max = load.*number;
      found.worst = load.path;
    }
  }
  std::ranges::sort(sorted);
  if (!sorted.empty()) found.median = sorted[(sorted.size() - 1) / 2];
  return found;
}

}  // namespace

LoadSummary summarise(std::vector<PrefabLoad> loads, std::uint64_t files_max) {
  std::ranges::sort(loads, {}, &PrefabLoad::path);
  LoadSummary summary{
      load_spread(loads, &PrefabLoad::files), load_spread(loads, &PrefabLoad::vain_bytes), {}};
  std::ranges::copy_if(loads, std::back_inserter(summary.beyond),
                       [&](const PrefabLoad& load) { return load.files > files_max; });
  return summary;
}

}  // namespace muster
