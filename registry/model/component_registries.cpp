#include "registry/model/component_registries.h"

#include <algorithm>
#include <map>

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;

bool holds_components(const AssetPath& path) {
  return has_extension(path, "prefab") || has_extension(path, "unity");
}

// The class of a component with this script. If only the name of the class matches, `is_sure` is
// false, because other packages have classes with the same names. If `is_sure` is false, a
// component is a registry only if it has the list.
struct ClassGuess {
  const ClassDeclaration* declaration = nullptr;
  bool is_sure = false;
};

ClassGuess class_of_script(const Project& project, const std::vector<ClassDeclaration>& classes,
                           const Guid& script) {
  for (const ClassDeclaration& entry : classes) {
    if (entry.is_component && entry.script == script) return {&entry, true};
  }
  const std::string name = project.scripts().class_of(script);
  if (name.empty()) return {};
  for (const ClassDeclaration& entry : classes) {
    if (!entry.is_component) continue;
    if (name == entry.name) return {&entry, !entry.script};
    if (project.scripts().derives_from(name, entry.name)) return {&entry, false};
  }
  return {};
}

NodeIndex list_in(const yaml::Tree& tree, NodeIndex fields, const ClassDeclaration& declaration) {
  for (const std::string& list : declaration.lists) {
    const NodeIndex node = tree.find_path(fields, list);
    if (node != kNoNode) return node;
  }
  return kNoNode;
}

// The class of an object in a file, if it is a registry component; otherwise null. A stripped
// object is a placeholder, without fields, of an object in another file.
const ClassDeclaration* class_of_object(const Project& project,
                                        const std::vector<ClassDeclaration>& classes,
                                        const SourceFile& source, int document) {
  if (source.tree.documents[static_cast<std::size_t>(document)].is_stripped) return nullptr;
  if (source.type_name_of(document) != "MonoBehaviour") return nullptr;
  const NodeIndex fields = source.fields_of(document);
  const auto script = yaml::reference_at(source.tree, source.tree.find(fields, "m_Script"));
  if (!script) return nullptr;
  const ClassGuess guess = class_of_script(project, classes, script.value().guid);
  if (guess.declaration == nullptr || guess.is_sure) return guess.declaration;
  return list_in(source.tree, fields, *guess.declaration) == kNoNode ? nullptr : guess.declaration;
}

// The guid of the prefab of a prefab instance; null for other objects.
Guid source_of_instance(const SourceFile& source, int document) {
  const NodeIndex fields = source.fields_of(document);
  if (fields == kNoNode || source.tree.find(fields, "m_Modification") == kNoNode) return {};
  for (const std::string_view key : {"m_SourcePrefab", "m_ParentPrefab"}) {
    const auto prefab = yaml::reference_at(source.tree, source.tree.find(fields, key));
    if (prefab && !prefab.value().guid.is_null()) return prefab.value().guid;
  }
  return {};
}

bool leads_to_entry(std::string_view path, const ClassDeclaration& declaration) {
  const auto is_item = [&](const std::string& list) {
    return path.starts_with(list + ".Array.data[");
  };
  return std::ranges::find(declaration.single_entries, path) != declaration.single_entries.end() ||
         std::ranges::any_of(declaration.lists, is_item);
}

// Adds the entries that an instance overrides in a component of its prefab.
void add_overrides(const SourceFile& source, int document, const ClassDeclaration& declaration,
                   std::vector<NodeIndex>& found) {
  const yaml::Tree& tree = source.tree;
  const NodeIndex list =
      tree.find_path(source.fields_of(document), "m_Modification.m_Modifications");
  if (list == kNoNode) return;
  for (const NodeIndex item : Children(tree, list)) {
    if (!leads_to_entry(tree.scalar_at(item, "propertyPath"), declaration)) continue;
    const NodeIndex value = tree.find(item, "objectReference");
    const auto reference = yaml::reference_at(tree, value);
    if (reference && !reference.value().guid.is_null()) found.push_back(value);
  }
}

class ComponentSearch {
 public:
  ComponentSearch(const Project& project, const std::vector<ClassDeclaration>& classes,
                  std::map<AssetNumber, std::string>& found, std::vector<ModelProblem>& problems)
      : project_(project), classes_(classes), found_(found), problems_(problems) {}

  void run() {
    for (const ReferenceEdge& edge : project_.graph().edges()) {
      if (edge.in_meta || !edge.is_strong() || carriers_.contains(edge.from)) continue;
      const ClassGuess guess = guess_of(edge);
      if (guess.declaration != nullptr && holds_components(path_of(edge.from))) {
        check_asset(edge.from, guess);
      }
    }
    while (follow_instances()) {
    }
  }

 private:
  const AssetPath& path_of(AssetNumber asset) const { return project_.index().at(asset).path; }

  ClassGuess guess_of(const ReferenceEdge& edge) {
    const auto [it, fresh] = guesses_.try_emplace(edge.guid);
    const bool may_be_script = edge.to == kNoAsset || has_extension(path_of(edge.to), "cs");
    if (fresh && may_be_script) it->second = class_of_script(project_, classes_, edge.guid);
    return it->second;
  }

  void check_asset(AssetNumber asset, const ClassGuess& guess) {
    const SourceFile& source = project_.sources().get(asset);
    if (!source.good() || source.dialect == yaml::Dialect::binary) {
      if (!guess.is_sure) return;
      problems_.push_back({ModelProblem::Kind::unreadable,
                           {path_of(asset), {}},
                           {},
                           asset,
                           "it has a component of class '" + guess.declaration->name +
                               "', and is not readable text"});
      return;
    }
    for (std::size_t i = 0; i < source.tree.documents.size(); ++i) {
      const ClassDeclaration* declaration =
          class_of_object(project_, classes_, source, static_cast<int>(i));
      if (declaration == nullptr) continue;
      carriers_.emplace(asset, declaration);
      found_.emplace(asset, declaration->name);
      return;
    }
  }

  // Adds the files with instances of the prefabs in `carriers_`. A file whose instance overrides no
  // entry is not a registry, but the file becomes a carrier. Returns false if there was no new
  // file.
  bool follow_instances() {
    if (carriers_.empty()) return false;
    std::map<AssetNumber, const ClassDeclaration*> next;
    for (const ReferenceEdge& edge : project_.graph().edges()) {
      const auto base = carriers_.find(edge.to);
      if (edge.in_meta || edge.to == kNoAsset || base == carriers_.end()) continue;
      if (carriers_.contains(edge.from) || !holds_components(path_of(edge.from))) continue;
      const SourceFile& source = project_.sources().get(edge.from);
      if (!source.good()) continue;
      std::vector<NodeIndex> overrides;
      for (std::size_t i = 0; i < source.tree.documents.size(); ++i) {
        const int document = static_cast<int>(i);
        if (source_of_instance(source, document) != edge.guid) continue;
        next.emplace(edge.from, base->second);
        add_overrides(source, document, *base->second, overrides);
      }
      if (!overrides.empty()) found_.emplace(edge.from, base->second->name);
    }
    carriers_.insert(next.begin(), next.end());
    return !next.empty();
  }

  const Project& project_;
  const std::vector<ClassDeclaration>& classes_;
  std::map<AssetNumber, std::string>& found_;
  std::vector<ModelProblem>& problems_;
  std::map<Guid, ClassGuess> guesses_;
  // The prefabs that contain a registry component, directly or in a nested prefab.
  std::map<AssetNumber, const ClassDeclaration*> carriers_;
};

}  // namespace

void find_component_registries(const Project& project, const std::vector<ClassDeclaration>& classes,
                               std::map<AssetNumber, std::string>& found,
                               std::vector<ModelProblem>& problems) {
  if (std::ranges::none_of(classes, &ClassDeclaration::is_component)) return;
  ComponentSearch(project, classes, found, problems).run();
}

ComponentEntries component_entries(const Project& project,
                                   const std::vector<ClassDeclaration>& classes,
                                   const ClassDeclaration& declaration, const SourceFile& source) {
  ComponentEntries entries;
  const yaml::Tree& tree = source.tree;
  for (std::size_t i = 0; i < tree.documents.size(); ++i) {
    const int document = static_cast<int>(i);
    if (!source_of_instance(source, document).is_null()) {
      add_overrides(source, document, declaration, entries.single);
    }
    const ClassDeclaration* own = class_of_object(project, classes, source, document);
    if (own == nullptr) continue;
    const NodeIndex fields = source.fields_of(document);
    for (const std::string& key : own->single_entries) {
      const NodeIndex node = tree.find_path(fields, key);
      if (node != kNoNode) entries.single.push_back(node);
    }
    const NodeIndex list = list_in(tree, fields, *own);
    if (list != kNoNode) entries.lists.push_back(list);
  }
  return entries;
}

}  // namespace muster
