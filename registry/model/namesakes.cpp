// An asset is a root if it has the flag or the list of a root. An asset is a registry if it has the
// list of its class, and the list is empty or has an item with a key of any layout of the class. If
// an item refers to a definition, the keys of the definition are checked instead. A missing
// definition counts as a match. A project that has the component or the definitions of the class
// uses the class. In such a project, all assets with the name of the class are registries, even
// without the list.
#include "registry/model/namesakes.h"

#include <algorithm>
#include <set>

#include "registry/model/path_query.h"

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;

bool is_undeclared(const ClassDeclaration& declaration) {
  return std::ranges::all_of(declaration.references,
                             [](const ReferenceRule& rule) { return rule.position.line == 0; });
}

// Adds the keys of a path to `keys`: `abilities` for `abilities[]`, and both `definition` and
// `items` for `definition.items[].itemType`.
void add_steps(std::string_view path, std::set<std::string>& keys) {
  constexpr std::string_view kDefinition = "definition.";
  if (path.starts_with(kDefinition)) {
    keys.emplace(kDefinition.substr(0, kDefinition.size() - 1));
    path.remove_prefix(kDefinition.size());
  }
  const std::string_view key = path.substr(0, path.find_first_of(".["));
  if (!key.empty()) keys.emplace(key);
}

std::set<std::string> keys_of(const ClassDeclaration& declaration) {
  std::set<std::string> keys;
  for (const ReferenceRule& rule : declaration.references) add_steps(rule.path, keys);
  for (const EntryField& field : declaration.entry_template) keys.insert(field.key);
  for (const std::string& key : declaration.own_guid_keys) keys.insert(key);
  for (const std::string& path : declaration.key_paths) add_steps(path, keys);
  add_steps(declaration.owner_path, keys);
  add_steps(declaration.pool_size_path, keys);
  return keys;
}

class NamesakeSearch {
 public:
  NamesakeSearch(const Project& project, const std::vector<ClassDeclaration>& classes)
      : project_(project), classes_(classes) {}

  std::vector<Namesake> run(std::map<AssetNumber, std::string>& found) {
    std::vector<Namesake> namesakes;
    const auto extract = [&](const auto& is_other) {
      std::erase_if(found, [&](const auto& candidate) {
        if (!is_other(candidate.first, candidate.second)) return false;
        namesakes.push_back({candidate.first, candidate.second});
        return true;
      });
    };
    extract([&](AssetNumber asset, const std::string& name) {
      return name == kRootClass && !is_plain(asset) && !is_root(asset);
    });
    for (const auto& [asset, name] : found) {
      if (name == kRootClass) note_listed(asset);
    }
    extract([&](AssetNumber asset, const std::string& name) {
      if (name == kRootClass || is_plain(asset) || listed_.contains(asset)) return false;
      const auto declaration = std::ranges::find(classes_, name, &ClassDeclaration::name);
      if (declaration->is_component) return false;
      return is_undeclared(*declaration) && !is_registry(asset, *declaration) &&
             !is_in_use(*declaration);
    });
    std::ranges::sort(namesakes, {}, &Namesake::asset);
    return namesakes;
  }

 private:
  SourceNode fields_of(AssetNumber asset) const {
    const SourceFile& source = project_.sources().get(asset);
    return {&source, source.fields_of(source.document_of(0))};
  }

  static SourceNode child(const SourceNode& at, std::string_view key) {
    return {at.source, at.source->tree.find(at.node, key)};
  }

  bool is_plain(AssetNumber asset) const {
    return project_.sources().get(asset).dialect == yaml::Dialect::plain;
  }

  bool is_root(AssetNumber asset) const {
    const SourceNode fields = fields_of(asset);
    return child(fields, "assetRegistries").exists() || child(fields, "serverBuild").exists();
  }

  void note_listed(AssetNumber root) {
    const SourceNode list = child(fields_of(root), "assetRegistries");
    for (const NodeIndex node : Children(list.source->tree, list.node)) {
      const auto reference = any_reference_at({list.source, node});
      if (reference) listed_.insert(project_.index().find(reference.value().guid));
    }
  }

  bool is_registry(AssetNumber asset, const ClassDeclaration& declaration) const {
    const SourceNode fields = fields_of(asset);
    if (!declaration.provider_interface.empty() && child(fields, "server").exists()) return true;
    const std::set<std::string> keys = keys_of(declaration);
    for (const std::string& key : declaration.lists) {
      const SourceNode list = child(fields, key);
      if (!list.exists()) continue;
      const yaml::Tree& tree = list.source->tree;
      const yaml::Node& node = tree.at(list.node);
      if (node.kind == yaml::NodeKind::scalar) return tree.scalar(list.node).empty();
      if (node.kind != yaml::NodeKind::sequence) return false;
      if (node.child_count == 0) return true;
      for (const NodeIndex item : Children(tree, list.node)) {
        if (is_entry({list.source, item}, keys)) return true;
      }
      return false;
    }
    return false;
  }

  // Whether the project has the component or the definitions of the class.
  bool is_in_use(const ClassDeclaration& declaration) const {
    return std::ranges::any_of(declaration.prepare, [&](const PrepareRule& rule) {
      const std::string& base = rule.component.empty() ? rule.assets_of_class : rule.component;
      return !project_.scripts().scripts_deriving_from(base).empty();
    });
  }

  bool has_any(const SourceNode& at, const std::set<std::string>& keys) const {
    return std::ranges::any_of(keys, [&](const auto& key) { return child(at, key).exists(); });
  }

  bool is_entry(const SourceNode& at, const std::set<std::string>& keys) const {
    const yaml::Tree& tree = at.source->tree;
    if (tree.at(at.node).kind == yaml::NodeKind::scalar) return tree.scalar(at.node).empty();
    if (!child(at, "fileID").exists()) return has_any(at, keys);
    std::vector<ModelProblem> ignored_problems;
    const auto reference = any_reference_at(at);
    if (!reference || !reference.value().is_set()) return true;
    const AssetNumber definition = project_.index().find(reference.value().guid);
    if (definition == kNoAsset || is_prefab(project_.sources(), definition)) return true;
    const SourceNode fields = PathQuery(project_.sources(), ignored_problems).follow(at);
    return !fields.exists() || has_any(fields, keys);
  }

  const Project& project_;
  const std::vector<ClassDeclaration>& classes_;
  std::set<AssetNumber> listed_;
};

}  // namespace

std::vector<Namesake> extract_namesakes(const Project& project,
                                        const std::vector<ClassDeclaration>& classes,
                                        std::map<AssetNumber, std::string>& found) {
  return NamesakeSearch(project, classes).run(found);
}

}  // namespace muster
