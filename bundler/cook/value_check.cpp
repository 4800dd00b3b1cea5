// The results of each asset are stored separately, so that the findings do not depend on the order
// of threads. If several prefabs inherit the same wrong value, each of them has the problem, but
// the problem is reported once.
#include "bundler/cook/value_check.h"

#include <map>
#include <utility>

#include "bundler/cook/asset_cooker.h"
#include "bundler/cook/list_extents.h"
#include "registry/base/parallel.h"
#include "registry/model/asset_fact_cache.h"

namespace muster {
namespace {

// The overrides that change items beyond the end of their lists. The key of an override is its file
// and its position in the file. The value is the path of the changed property.
using LostItems = std::map<std::pair<AssetPath, yaml::Position>, std::string>;

// Finds the overrides of an asset that change items beyond the end of a list. Such an override has
// no effect, because another override must first make the list longer.
LostItems lost_items(const Project& project, AssetNumber asset) {
  LostItems lost;
  if (!is_prefab(project.sources(), asset)) return lost;
  for (const SourceEntity& entity : project.prefabs().flatten(asset).entities) {
    for (const SourceComponent& component : entity.components) {
      const ListExtents extents(component);
      for (const PropertyOverride& change : component.overrides) {
        if (change.path.find(".Array.data[") == change.path.npos) continue;
        if (extents.reach(change.path).exists) continue;
        lost.emplace(std::pair(change.source->path, change.position), std::string(change.path));
      }
    }
  }
  return lost;
}

}  // namespace

void check_values(const Project& project, const std::vector<ComponentDescription>& components,
                  const std::set<AssetNumber>& built, unsigned jobs, Findings& findings) {
  if (components.empty()) return;
  const AssetCooker cooker(project, components);
  AssetFactCache* const fact_cache = project.fact_cache();
  std::vector<AssetNumber> assets(built.begin(), built.end());
  // Plain files are checked even if they are not built.
  for (AssetNumber asset = 0; asset < project.index().assets().size(); ++asset) {
    const bool is_plain = !project.sources().plain_class(asset).empty();
    if (is_plain && !built.contains(asset)) assets.push_back(asset);
  }
  std::vector<std::vector<CookProblem>> problems(assets.size());
  std::vector<LostItems> lost(assets.size());
  parallel_for(assets.size(), jobs, {}, [&](std::size_t i, unsigned) {
    if (project.index().at(assets[i]).is_folder) return;
    const AssetFacts* const known = fact_cache == nullptr ? nullptr : fact_cache->find(assets[i]);
    if (known != nullptr && known->has_fit_values) return;
    problems[i] = cooker.unfit_values(assets[i]);
    lost[i] = lost_items(project, assets[i]);
    const bool is_fit = problems[i].empty() && lost[i].empty();
    if (fact_cache != nullptr && is_fit) fact_cache->note_fit_values(project, assets[i]);
  });
  LostItems all_lost;
  for (std::size_t i = 0; i < assets.size(); ++i) {
    all_lost.merge(lost[i]);
    for (CookProblem& problem : problems[i]) {
      findings.add("unfit-value", std::move(problem.location), std::move(problem.message))
          .blocks_build = built.contains(assets[i]);
    }
  }
  for (const auto& [location, path] : all_lost) {
    findings.add("unused-override", {location.first, location.second},
                 "the override of '" + path + "' has no effect: the list has no such item");
  }
}

}  // namespace muster
