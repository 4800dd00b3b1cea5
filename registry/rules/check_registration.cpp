// What should be registered and is not.
#include <set>

#include "registry/registries/membership.h"
#include "registry/rules/validate.h"

namespace muster {

void check_registration(const Project& project, TargetSet targets, Findings& findings) {
  for (const ClassDeclaration& declaration : project.model().classes) {
    std::set<Guid> registered;
    bool any = false;
    for (const Registry& registry : project.model().registries) {
      if (registry.declaration != &declaration) continue;
      any = any || registry.targets.empty() || !(registry.targets & targets).empty();
      for (const RegistryEntry& entry : registry.entries) {
        registered.insert(entry.definition_guid);
        for (const EntryReference& reference : entry.references) registered.insert(reference.guid);
      }
    }
    if (!any) continue;  // nothing that is built for these targets has such a registry
    for (const AssetNumber asset : unreadable_members(project, declaration)) {
      const SourceFile& source = project.sources().get(asset);
      if (!source.error) continue;  // has its own finding
      findings.add("yaml-syntax", {source.path, source.error->position},
                   source.error->message + "; it may belong into a " + declaration.name);
    }
    for (const Member& member : members_of(project, declaration)) {
      const Asset& asset = project.index().at(member.asset);
      if (registered.contains(asset.guid)) continue;
      const std::string why = member.rule->component.empty()
                                  ? "is a " + member.rule->assets_of_class
                                  : "carries " + member.rule->component;
      findings.add("unregistered-prefab", {asset.path, {}},
                   "this asset " + why + " but no " + declaration.name + " lists it");
    }
  }
}

}  // namespace muster
