// The facts of an asset and its dependencies are computed from the same trees. So the facts are
// valid as long as the dependencies are unchanged.
#include "registry/model/asset_fact_cache.h"

#include <algorithm>

namespace muster {
namespace {

void sort_guids(std::vector<Guid>& guids) {
  std::ranges::sort(guids);
  guids.erase(std::unique(guids.begin(), guids.end()), guids.end());
}

void add_scripts(const SourceFile& source, std::vector<Guid>& scripts) {
  for (std::size_t i = 0; i < source.tree.documents.size(); ++i) {
    const auto script = yaml::reference_at(
        source.tree, source.tree.find(source.fields_of(static_cast<int>(i)), "m_Script"));
    if (script) scripts.push_back(script.value().guid);
  }
}

void add_scripts_of(const Project& project, AssetNumber asset, std::vector<Guid>& scripts) {
  const AssetPath& path = project.index().at(asset).path;
  if (!holds_references(path) || is_model_path(path)) return;
  add_scripts(project.sources().get(asset), scripts);
}

// Adds the scripts of the asset's file and, for a prefab, the sources of the flattened prefab.
void add_dependencies(const Project& project, AssetNumber asset, AssetFacts& facts) {
  add_scripts_of(project, asset, facts.scripts);
  if (is_prefab(project.sources(), asset)) {
    for (const Guid& guid : project.prefabs().flatten(asset).sources) {
      const AssetNumber source = project.index().find(guid);
      facts.sources.push_back(guid);
      if (source != kNoAsset) add_scripts_of(project, source, facts.scripts);
    }
  }
  sort_guids(facts.sources);
  sort_guids(facts.scripts);
}

}  // namespace

AssetFacts& AssetFactCache::at(AssetNumber asset) {
  if (facts_[asset] == nullptr) facts_[asset] = std::make_unique<AssetFacts>();
  return *facts_[asset];
}

void AssetFactCache::note_packable(const Project& project, AssetNumber asset) {
  AssetFacts& facts = at(asset);
  facts.is_packable = true;
  add_dependencies(project, asset, facts);
}

void AssetFactCache::note_fit_values(const Project& project, AssetNumber asset) {
  AssetFacts& facts = at(asset);
  facts.has_fit_values = true;
  if (!is_prefab(project.sources(), asset)) facts.class_name = class_of_asset(project, asset);
  add_dependencies(project, asset, facts);
}

void AssetFactCache::note_stripped(const Project& project, AssetNumber asset, Target target,
                                   StrippedFile file, const std::vector<Guid>& read_guids) {
  AssetFacts& facts = at(asset);
  facts.stripped[target_index(target)] = std::move(file);
  add_scripts_of(project, asset, facts.scripts);
  for (const Guid& guid : read_guids) {
    const AssetNumber source = project.index().find(guid);
    facts.sources.push_back(guid);
    if (source != kNoAsset) add_scripts_of(project, source, facts.scripts);
  }
  sort_guids(facts.sources);
  sort_guids(facts.scripts);
}

bool is_known_packable(const Project& project, AssetNumber asset) {
  const AssetFacts* const known =
      project.fact_cache() == nullptr ? nullptr : project.fact_cache()->find(asset);
  return known != nullptr && known->is_packable;
}

}  // namespace muster
