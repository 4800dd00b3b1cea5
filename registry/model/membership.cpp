// Parses only a few prefabs. A prefab with a component mentions the component's script, or has a
// strong reference to another prefab with the component. The search follows these references
// backwards from the script, and parses only the prefabs that it reaches.
#include "registry/model/membership.h"

#include <algorithm>
#include <map>
#include <set>

namespace muster {
namespace {

bool can_be_prefab(const AssetPath& path) {
  return has_extension(path, "prefab") || is_plain_path(path);
}

// The guids of the scripts whose class is `base` or derives from it, if any asset mentions them.
std::set<Guid> scripts_of(const Project& project, std::string_view base) {
  std::set<Guid> scripts;
  for (AssetNumber asset = 0; asset < project.index().assets().size(); ++asset) {
    if (!project.graph().is_referred_to(asset)) continue;
    const Guid& guid = project.index().at(asset).guid;
    const std::string name = project.scripts().class_of(guid);
    if (!name.empty() && project.scripts().derives_from(name, base)) scripts.insert(guid);
  }
  return scripts;
}

std::set<AssetNumber> prefabs_reaching(const Project& project, const std::set<Guid>& scripts) {
  const AssetIndex& index = project.index();
  std::vector<bool> is_possible;
  for (const Asset& asset : index.assets()) is_possible.push_back(can_be_prefab(asset.path));
  std::multimap<AssetNumber, AssetNumber> users;  // The prefabs that refer to each prefab.
  std::set<AssetNumber> found;
  std::vector<AssetNumber> queue;
  for (const ReferenceEdge& edge : project.graph().edges()) {
    if (!edge.is_strong() || edge.in_meta || !is_possible[edge.from]) continue;
    if (edge.to != kNoAsset && is_possible[edge.to]) {
      users.emplace(edge.to, edge.from);
    }
    if (scripts.contains(edge.guid) && found.insert(edge.from).second) queue.push_back(edge.from);
  }
  for (AssetNumber asset = 0; asset < index.assets().size(); ++asset) {
    if (project.sources().plain_class(asset) != "Prefab") continue;
    if (found.insert(asset).second) queue.push_back(asset);
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (auto [user, end] = users.equal_range(queue[i]); user != end; ++user) {
      if (found.insert(user->second).second) queue.push_back(user->second);
    }
  }
  return found;
}

void add_prefabs(const Project& project, const PrepareRule& rule, std::vector<Member>& members) {
  const auto candidates = prefabs_reaching(project, scripts_of(project, rule.component));
  for (const AssetNumber asset : candidates) {
    if (!is_prefab(project.sources(), asset)) continue;
    const SourceComponent* component = root_component(project, asset, rule.component);
    if (component == nullptr) continue;
    if (!rule.required_reference.empty()) {
      const auto reference = component->weak_reference(rule.required_reference);
      if (!reference || reference->is_null()) continue;
    }
    members.push_back({asset, &rule});
  }
}

void add_assets(const Project& project, const PrepareRule& rule, std::vector<Member>& members) {
  const std::set<Guid> scripts = scripts_of(project, rule.assets_of_class);
  std::set<AssetNumber> found;
  for (const ReferenceEdge& edge : project.graph().edges()) {
    if (scripts.empty()) break;
    if (edge.kind != yaml::MentionKind::strong || edge.in_meta || !scripts.contains(edge.guid)) {
      continue;
    }
    if (has_extension(project.index().at(edge.from).path, "asset")) found.insert(edge.from);
  }
  for (AssetNumber asset = 0; asset < project.index().assets().size(); ++asset) {
    if (!project.sources().plain_class(asset).empty()) found.insert(asset);
  }
  for (const AssetNumber asset : found) {
    const std::string name = class_of_asset(project, asset);
    if (!name.empty() && project.scripts().derives_from(name, rule.assets_of_class)) {
      members.push_back({asset, &rule});
    }
  }
}

}  // namespace

const SourceComponent* root_component(const Project& project, AssetNumber prefab,
                                      std::string_view class_name) {
  return root_component(project.prefabs().flatten(prefab), project.scripts(), class_name);
}

const SourceComponent* root_component(const SourcePrefab& prefab, const Scripts& scripts,
                                      std::string_view class_name) {
  if (prefab.entities.empty()) return nullptr;
  const auto& components = prefab.entities.front().components;
  const auto found = std::ranges::find_if(components, [&](const SourceComponent& component) {
    return scripts.derives_from(component.class_name, class_name);
  });
  return found == components.end() ? nullptr : &*found;
}

std::vector<AssetNumber> unreadable_members(const Project& project,
                                            const ClassDeclaration& declaration) {
  std::set<AssetNumber> found;
  for (const PrepareRule& rule : declaration.prepare) {
    const bool wants_prefabs = !rule.component.empty();
    const auto scripts = scripts_of(project, wants_prefabs ? rule.component : rule.assets_of_class);
    for (const ReferenceEdge& edge : project.graph().edges()) {
      if (scripts.empty()) break;
      if (edge.kind != yaml::MentionKind::strong || edge.in_meta) continue;
      if (!scripts.contains(edge.guid)) continue;
      const AssetPath& path = project.index().at(edge.from).path;
      if (!has_extension(path, wants_prefabs ? "prefab" : "asset")) continue;
      if (!project.sources().get(edge.from).good()) found.insert(edge.from);
    }
    // The class of a plain file is known even if the rest of the file cannot be parsed.
    for (AssetNumber asset = 0; asset < project.index().assets().size(); ++asset) {
      const std::string& name = project.sources().plain_class(asset);
      if (name.empty()) continue;
      const bool is_wanted = wants_prefabs
                                 ? name == "Prefab"
                                 : project.scripts().derives_from(name, rule.assets_of_class);
      if (is_wanted && !project.sources().get(asset).good()) found.insert(asset);
    }
  }
  return {found.begin(), found.end()};
}

std::vector<Member> members_of(const Project& project, const ClassDeclaration& declaration) {
  std::vector<Member> members;
  for (const PrepareRule& rule : declaration.prepare) {
    if (rule.component.empty()) {
      add_assets(project, rule, members);
    } else {
      add_prefabs(project, rule, members);
    }
  }
  // Variants are not members, because they are registered by the guid of their base.
  std::erase_if(members,
                [&](const Member& member) { return project.variants().is_variant(member.asset); });
  return members;
}

}  // namespace muster
