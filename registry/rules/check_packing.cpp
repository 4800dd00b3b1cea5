// What a build would refuse while it packs, what is odd inside of what it packs, and files of which
// nothing is left.
#include <algorithm>
#include <map>
#include <set>

#include "registry/rules/packing.h"
#include "registry/rules/validate.h"
#include "registry/vocabulary/counted.h"
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

template <class Thing>
bool is_among(const std::vector<Thing>& things, AssetNumber asset) {
  return std::ranges::find(things, asset, &Thing::asset) != things.end();
}

// What the references of one file say, where that shows without looking at other files.
class InnerReferences {
 public:
  InnerReferences(const SourceFile& source, bool is_registry, Findings& findings)
      : source_(source), tree_(source.tree), is_registry_(is_registry), findings_(findings) {
    for (const yaml::Document& document : tree_.documents) objects_.insert(document.file_id);
  }

  void check() {
    for (yaml::NodeIndex node = 0; node < tree_.nodes.size(); ++node) {
      // The engine writes references in braces; what is a block is a struct of the game's.
      const bool is_unity = source_.dialect == yaml::Dialect::unity;
      if (tree_.at(node).kind != yaml::NodeKind::mapping) continue;
      if (is_unity && !tree_.at(node).is_flow) continue;
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

  void check_reference(yaml::NodeIndex node) {
    const auto id = tree_.integer(tree_.find(node, "fileID"));
    if (!id || id.value() == 0) return;
    const yaml::NodeIndex guid = tree_.find(node, "guid");
    if (guid != yaml::kNoNode) {
      const yaml::Node& text = tree_.at(guid);
      if (text.text.empty() || Guid::parse_any_case(text.text)) return;
      Finding& finding = findings_.add("malformed-guid", {source_.path, text.position},
                                       "'" + std::string(text.text) + "' is no guid");
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
  for (std::size_t i = 0; i < assets.size(); ++i) {
    check_file_ids(project, assets[i], findings);
    // What a root lists is told with the root.
    const RegistryModel& model = project.model();
    if (!packings[i].is_text || is_among(model.roots, assets[i])) continue;
    const bool is_registry = is_among(model.registries, assets[i]);
    InnerReferences(project.sources().get(assets[i]), is_registry, findings).check();
  }
  for (const ContentProblem& problem : project.graph().problems()) {
    if (problem.kind != ContentProblem::Kind::no_objects || built.contains(problem.asset)) continue;
    const AssetPath& path = project.index().at(problem.asset).path;
    if (has_foreign_importer(project.files(), path)) continue;
    findings
        .add("yaml-syntax", {path, {}}, "this file has no objects; nothing that is built needs it")
        .severity = Severity::warning;
  }
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
