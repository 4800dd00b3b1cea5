#include "registry/model/entry_values.h"

#include <algorithm>

#include "registry/model/membership.h"
#include "registry/model/path_query.h"

namespace muster {
namespace {

// The class of the component to which the registry's strong references to prefabs point; empty if
// these references point to root objects. If the list has the type of a component, Unity refers to
// this component in each prefab.
std::string referred_component(const Project& project, const Registry& registry) {
  const SourceFile& source = project.sources().get(registry.asset);
  for (const RegistryEntry& entry : registry.entries) {
    if (entry.is_free) continue;
    std::vector<SourceNode> nodes{{&source, entry.node}};
    for (const yaml::NodeIndex child : yaml::Children(source.tree, entry.node)) {
      nodes.push_back({&source, child});
    }
    for (const SourceNode& node : nodes) {
      const auto reference = any_reference_at(node);
      if (!reference || !reference.value().is_strong) continue;
      const AssetNumber asset = project.index().find(reference.value().guid);
      if (asset == kNoAsset || !is_prefab(project.sources(), asset)) continue;
      const SourcePrefab& prefab = project.prefabs().flatten(asset);
      if (prefab.entities.empty()) continue;
      const auto& components = prefab.entities.front().components;
      const auto found =
          std::ranges::find(components, reference.value().file_id, &SourceComponent::file_id);
      return found == components.end() ? std::string() : found->class_name;
    }
  }
  return {};
}

}  // namespace

EntryValues entry_values(const Project& project, const ClassDeclaration& declaration,
                         const Candidate& wanted, const Guid& guid) {
  EntryValues values;
  values.asset = guid;
  values.rule = wanted.rule;
  if (wanted.is_provider || wanted.rule->required_reference.empty()) return values;
  const SourceComponent* component = root_component(project, wanted.asset, wanted.rule->component);
  if (component == nullptr) return values;
  values.owner = component->weak_reference(wanted.rule->required_reference).value_or(Guid());
  for (const EntryField& field : declaration.entry_template) {
    if (field.kind != EntryField::Kind::copied_number) continue;
    values.numbers.emplace_back(field.key, component->scalar(field.key).value_or("0"));
  }
  return values;
}

bool is_outdated(const ClassDeclaration& declaration, const RegistryEntry& entry,
                 const EntryValues& values) {
  if (values.numbers.empty()) return false;
  if (entry.owner != values.owner) return true;
  for (std::size_t i = 0; i < declaration.key_paths.size(); ++i) {
    for (const auto& [key, number] : values.numbers) {
      const std::string stored = entry.key[i].empty() ? "0" : entry.key[i];
      if (key == declaration.key_paths[i] && stored != number) return true;
    }
  }
  return false;
}

std::vector<std::string> key_of_values(const ClassDeclaration& declaration,
                                       const EntryValues& values) {
  std::vector<std::string> key;
  for (const std::string& path : declaration.key_paths) {
    const auto number =
        std::ranges::find(values.numbers, path, &std::pair<std::string, std::string>::first);
    if (path == declaration.owner_path) {
      key.push_back(values.owner.to_string());
    } else if (path == values.rule->field) {
      key.push_back(values.asset.to_string());
    } else {
      key.push_back(number == values.numbers.end() ? "0" : number->second);
    }
  }
  return key;
}

StrongTarget strong_target(const Project& project, const Registry& registry, const Guid& guid) {
  const AssetNumber asset = project.index().find(guid);
  if (asset == kNoAsset) return {};
  if (!project.sources().plain_class(asset).empty()) return {1, 3};
  if (is_prefab(project.sources(), asset) || is_model_path(project.index().at(asset).path)) {
    const SourcePrefab& prefab = project.prefabs().flatten(asset);
    if (prefab.entities.empty()) return {};
    const std::string name = referred_component(project, registry);
    const SourceComponent* component =
        name.empty() ? nullptr : root_component(project, asset, name);
    const SourceEntity& root = prefab.entities.front();
    return {component == nullptr ? root.file_id : component->file_id, 3};
  }
  const SourceFile& source = project.sources().get(asset);
  const int document = source.good() ? source.document_of(0) : -1;
  if (document < 0) return {};
  return {source.tree.documents[static_cast<std::size_t>(document)].file_id, 2};
}

EntryForm entry_form(const Project& project, const Registry& registry) {
  const ClassDeclaration& declaration = *registry.declaration;
  EntryForm form;
  form.reference_list =
      is_built_in(declaration) &&
      project.scripts().derives_from(declaration.name, "ScriptableObjectRegistry");
  bool has_text = false;
  bool has_words = false;
  for (const ReferenceEdge& edge : project.graph().edges()) {
    if (edge.in_meta) continue;
    has_text = has_text || edge.kind == yaml::MentionKind::textual;
    has_words = has_words || edge.kind == yaml::MentionKind::words;
  }
  form.text_references = registry.server_flag.has_value() || (has_text && !has_words);
  form.target_of = [&](const Guid& guid) { return strong_target(project, registry, guid); };
  return form;
}

}  // namespace muster
