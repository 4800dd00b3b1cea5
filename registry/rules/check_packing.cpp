// Reports assets that a build could not pack, faults inside packed files, and truncated files.
#include <algorithm>
#include <map>
#include <set>

#include "registry/base/counted.h"
#include "registry/base/parallel.h"
#include "registry/model/asset_fact_cache.h"
#include "registry/rules/packing.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

// True for a prefab that contains itself.
bool is_in_circle(const Project& project, AssetNumber asset) {
  if (!is_prefab(project.sources(), asset)) return false;
  using enum PrefabProblem::Kind;
  return std::ranges::any_of(project.prefabs().flatten(asset).problems,
                             [](const PrefabProblem& problem) {
                               return problem.kind == cycle || problem.kind == too_deep;
                             });
}

// Whether another rule reports the asset.
bool is_reported_elsewhere(const Project& project, AssetNumber asset, const PackingFault& fault) {
  if (fault.rule == "prefab-without-root") return is_in_circle(project, asset);
  return std::ranges::any_of(project.model().problems, [&](const ModelProblem& problem) {
    return problem.asset == asset && (problem.kind == ModelProblem::Kind::textless ||
                                      problem.kind == ModelProblem::Kind::unreadable);
  });
}

// Reports a file id that several objects of a file have, for example after a merge. All references
// to such an id lead to the first object.
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

template <class Thing>
bool is_among(const std::vector<Thing>& things, AssetNumber asset) {
  return std::ranges::find(things, asset, &Thing::asset) != things.end();
}

// Checks the references of one file. Reads no other files.
class InnerReferences {
 public:
  InnerReferences(const SourceFile& source, bool is_registry, Findings& findings)
      : source_(source), tree_(source.tree), is_registry_(is_registry), findings_(findings) {
    for (const yaml::Document& document : tree_.documents) objects_.insert(document.file_id);
  }

  void check() {
    for (yaml::NodeIndex node = 0; node < tree_.nodes.size(); ++node) {
      if (tree_.at(node).kind != yaml::NodeKind::mapping) continue;
      // A block with other keys may be a struct of the game.
      const bool is_unity = source_.dialect == yaml::Dialect::unity;
      if (is_unity && !tree_.at(node).is_flow && !has_only_keys_of_reference(node) &&
          !names_asset(node)) {
        continue;
      }
      if (tree_.find(node, "fileID") != yaml::kNoNode) check_reference(node);
    }
    for (const auto& [id, missing] : missing_) {
      Finding& finding = findings_.add("unresolved-reference", {source_.path, missing.first},
                                       "this file has no object " + std::to_string(id) +
                                           "; referred to " + counted(missing.times, "time"));
      if (!is_registry_) continue;
      finding.severity = Severity::error;
      finding.blocks_build = true;
    }
  }

 private:
  struct Missing {
    yaml::Position first{};
    std::size_t times = 0;
  };

  bool has_only_keys_of_reference(yaml::NodeIndex node) const {
    for (const yaml::NodeIndex child : yaml::Children(tree_, node)) {
      const std::string_view key = tree_.at(child).key;
      if (key != "fileID" && key != "guid" && key != "type") return false;
    }
    return true;
  }

  bool names_asset(yaml::NodeIndex node) const {
    const auto guid = Guid::parse_any_case(tree_.scalar_at(node, "guid"));
    return guid && !guid.value().is_null();
  }

  void check_reference(yaml::NodeIndex node) {
    const yaml::NodeIndex file_id = tree_.find(node, "fileID");
    const auto id = tree_.integer(file_id);
    if (!id && names_asset(node)) {
      findings_
          .add("unfit-value", {source_.path, tree_.at(file_id).position},
               "'" + std::string(tree_.scalar(file_id)) + "' is not a fileID; write an integer")
          .blocks_build = true;
    }
    if (!id || id.value() == 0) return;
    const yaml::NodeIndex guid = tree_.find(node, "guid");
    if (guid != yaml::kNoNode) {
      const yaml::Node& text = tree_.at(guid);
      if (text.text.empty() || Guid::parse_any_case(text.text)) return;
      // In a block with other characters, `guid` may be a field of the game.
      const bool is_hex = text.text.find_first_not_of("0123456789abcdefABCDEF") == text.text.npos;
      if (!tree_.at(node).is_flow && !is_hex) return;
      Finding& finding =
          findings_.add("malformed-guid", {source_.path, text.position},
                        "'" + std::string(text.text) + "' is not a guid; a guid has 32 hex digits");
      finding.blocks_build = true;
      return;
    }
    if (source_.dialect != yaml::Dialect::unity) return;
    if (objects_.contains(id.value())) return;
    const auto [missing, fresh] = missing_.try_emplace(id.value());
    if (fresh) missing->second.first = tree_.at(node).position;
    ++missing->second.times;
  }

  const SourceFile& source_;
  const yaml::Tree& tree_;
  bool is_registry_;
  Findings& findings_;
  std::set<std::int64_t> objects_;
  std::map<std::int64_t, Missing> missing_;
};

// The result for one asset. Each asset has one slot, so that the order of threads has no effect.
struct CheckResult {
  std::optional<PackingFault> fault;
  Findings findings;
};

// False for a prefab with problems or unused overrides; true for every other asset. A missing
// source is not counted, because another check reports the reference to the source.
bool is_whole_prefab(const Project& project, AssetNumber asset) {
  if (!is_prefab(project.sources(), asset)) return true;
  if (!project.prefabs().flatten(asset).unused_overrides.empty()) return false;
  return std::ranges::all_of(project.prefabs().flatten(asset).problems,
                             [](const PrefabProblem& problem) {
                               return problem.kind == PrefabProblem::Kind::missing_source;
                             });
}

void check_asset(const Project& project, AssetNumber asset, CheckResult& result) {
  if (is_known_packable(project, asset)) return;
  Packing packing = packing_of(project, asset);
  result.fault = std::move(packing.fault);
  check_file_ids(project, asset, result.findings);
  const RegistryModel& model = project.model();
  // check_roots() checks the items of roots.
  if (is_among(model.roots, asset)) return;
  if (packing.is_text) {
    const bool is_registry = is_among(model.registries, asset);
    InnerReferences(project.sources().get(asset), is_registry, result.findings).check();
  }
  const bool is_packable =
      !result.fault && result.findings.empty() && is_whole_prefab(project, asset);
  AssetFactCache* const fact_cache = project.fact_cache();
  if (fact_cache != nullptr && is_packable) fact_cache->note_packable(project, asset);
}

}  // namespace

void check_packing(const Project& project, const std::set<AssetNumber>& built, unsigned jobs,
                   Findings& findings) {
  std::vector<AssetNumber> assets(built.begin(), built.end());
  std::erase_if(assets, [&](AssetNumber asset) {
    return project.index().at(asset).is_folder || is_script(project.index().at(asset).path);
  });
  std::vector<CheckResult> results(assets.size());
  parallel_for(assets.size(), jobs, {},
               [&](std::size_t i, unsigned) { check_asset(project, assets[i], results[i]); });
  for (CheckResult& result : results) findings.append(std::move(result.findings));
  for (const ContentProblem& problem : project.graph().problems()) {
    if (problem.kind != ContentProblem::Kind::no_objects || built.contains(problem.asset)) continue;
    const AssetPath& path = project.index().at(problem.asset).path;
    if (has_foreign_importer(project.files(), path)) continue;
    findings
        .add("yaml-syntax", {path, {}}, "this file has no objects; nothing that is built needs it")
        .severity = Severity::warning;
  }
  for (std::size_t i = 0; i < assets.size(); ++i) {
    if (!results[i].fault || is_reported_elsewhere(project, assets[i], *results[i].fault)) continue;
    PackingFault& fault = *results[i].fault;
    Finding& finding =
        findings.add(fault.rule, std::move(fault.location), std::move(fault.message));
    finding.severity = Severity::error;
    finding.blocks_build = true;
  }
}

}  // namespace muster
