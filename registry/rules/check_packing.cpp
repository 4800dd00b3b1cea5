// What a build would refuse while it packs.
#include <algorithm>
#include <map>
#include <set>

#include "registry/rules/packing.h"
#include "registry/rules/validate.h"
#include "registry/vocabulary/parallel.h"

namespace muster {
namespace {

// These are told with the registry that needs them, or with the circle that they are part of.
bool is_told_elsewhere(const Project& project, AssetNumber asset, const PackingFault& fault) {
  if (fault.rule == "prefab-without-root") {
    using enum PrefabProblem::Kind;
    return std::ranges::any_of(project.prefabs().flatten(asset).problems,
                               [](const PrefabProblem& problem) {
                                 return problem.kind == cycle || problem.kind == too_deep;
                               });
  }
  return std::ranges::any_of(project.model().problems, [&](const ModelProblem& problem) {
    return problem.asset == asset && (problem.kind == ModelProblem::Kind::textless ||
                                      problem.kind == ModelProblem::Kind::unreadable);
  });
}

// What a merge leaves behind: references to a doubled object lead to the first of the two.
void check_file_ids(const Project& project, AssetNumber asset, Findings& findings) {
  const AssetPath& path = project.index().at(asset).path;
  if (!has_extension(path, "prefab") && !has_extension(path, "asset")) return;
  const SourceFile& source = project.sources().get(asset);
  if (!source.good() || source.dialect != yaml::Dialect::unity) return;
  std::map<std::int64_t, const yaml::Document*> known;
  for (const yaml::Document& document : source.tree.documents) {
    const auto [first, fresh] = known.try_emplace(document.file_id, &document);
    if (fresh) continue;
    findings
        .add("duplicate-file-id", {path, document.position},
             "this file has an object " + std::to_string(document.file_id) + " already")
        .related.push_back({{path, first->second->position}, "the first one"});
  }
}

}  // namespace

void check_packing(const Project& project, const std::set<AssetNumber>& built, unsigned jobs,
                   Findings& findings) {
  std::vector<AssetNumber> assets(built.begin(), built.end());
  std::erase_if(assets, [&](AssetNumber asset) {
    return project.index().at(asset).is_folder || is_script(project.index().at(asset).path);
  });
  std::vector<Packing> packings(assets.size());
  parallel_for(assets.size(), jobs, {},
               [&](std::size_t i, unsigned) { packings[i] = packing_of(project, assets[i]); });
  for (const AssetNumber asset : assets) check_file_ids(project, asset, findings);
  for (std::size_t i = 0; i < assets.size(); ++i) {
    if (!packings[i].fault || is_told_elsewhere(project, assets[i], *packings[i].fault)) continue;
    PackingFault& fault = *packings[i].fault;
    Finding& finding =
        findings.add(fault.rule, std::move(fault.location), std::move(fault.message));
    finding.severity = Severity::error;
    finding.blocks_build = true;
  }
}

}  // namespace muster
