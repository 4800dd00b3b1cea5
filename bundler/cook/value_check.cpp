// Each asset has a slot of its own, so that the findings do not depend on the order of threads. A
// value that several prefabs inherit is found once for each, and told once.
#include "bundler/cook/value_check.h"

#include "bundler/cook/asset_cooker.h"
#include "registry/registries/asset_memory.h"
#include "registry/vocabulary/parallel.h"

namespace muster {

void check_values(const Project& project, const std::vector<ComponentDescription>& components,
                  const std::set<AssetNumber>& built, unsigned jobs, Findings& findings) {
  if (components.empty()) return;
  const AssetCooker cooker(project, components);
  AssetMemory* const memory = project.memory();
  std::vector<AssetNumber> assets(built.begin(), built.end());
  // Hand-written files are checked before anything needs them.
  for (AssetNumber asset = 0; asset < project.index().assets().size(); ++asset) {
    const bool is_plain = !project.sources().plain_class(asset).empty();
    if (is_plain && !built.contains(asset)) assets.push_back(asset);
  }
  std::vector<std::vector<CookProblem>> problems(assets.size());
  parallel_for(assets.size(), jobs, {}, [&](std::size_t i, unsigned) {
    if (project.index().at(assets[i]).is_folder) return;
    const AssetFacts* const known = memory == nullptr ? nullptr : memory->find(assets[i]);
    if (known != nullptr && known->has_fit_values) return;
    problems[i] = cooker.unfit_values(assets[i]);
    if (memory != nullptr && problems[i].empty()) memory->note_fit_values(project, assets[i]);
  });
  for (std::size_t i = 0; i < assets.size(); ++i) {
    for (CookProblem& problem : problems[i]) {
      findings.add("unfit-value", std::move(problem.location), std::move(problem.message))
          .blocks_build = built.contains(assets[i]);
    }
  }
}

}  // namespace muster
