// Reports members that no registry lists. Uses the same function as `prepare`.
#include <algorithm>
#include <set>

#include "registry/base/counted.h"
#include "registry/model/class_members.h"
#include "registry/model/path_query.h"
#include "registry/model/type_ids.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

class RegistrationCheck {
 public:
  RegistrationCheck(const Project& project, const ClassDeclaration& declaration,
                    std::set<AssetNumber>& reported_unreadable, Findings& findings)
      : project_(project),
        declaration_(declaration),
        members_(project, declaration),
        reported_unreadable_(reported_unreadable),
        findings_(findings) {}

  void run(TargetSet targets) {
    std::vector<const Registry*> concerned = members_.registries();
    std::erase_if(concerned, [&](const Registry* registry) {
      return !registry->targets.empty() && (registry->targets & targets).empty();
    });
    if (concerned.empty()) return;  // No registry of this class is for the targets.
    for (const IdDisagreement& found : id_disagreements(members_)) add_disagreement(found);
    add_unreadable();
    for (const ProviderClash& clash : members_.clashes()) add_clash(clash);
    std::set<Guid> reported;
    for (const Registry* registry : concerned) {
      for (const Candidate* candidate : members_.lacking(*registry)) {
        const Guid guid = ClassMembers::side_of(*registry, *candidate);
        if (reported.insert(guid).second) add_lacking(*registry, *candidate, guid);
      }
    }
  }

 private:
  const AssetPath& path_of(AssetNumber asset) const { return project_.index().at(asset).path; }

  void add_unreadable() {
    for (const AssetNumber asset : unreadable_members(project_, declaration_)) {
      const SourceFile& source = project_.sources().get(asset);
      if (!source.error) continue;  // Another rule reports this file.
      if (!reported_unreadable_.insert(asset).second) continue;
      findings_.add(
          "yaml-syntax", {source.path, source.error->position},
          source.error->message + "; it may belong in " + with_article(declaration_.name));
    }
  }

  void add_clash(const ProviderClash& clash) {
    const AssetNumber prefab = project_.index().find(clash.prefab);
    const std::string name =
        prefab == kNoAsset ? clash.prefab.to_string() : "'" + path_of(prefab).text() + "'";
    findings_
        .add("provider-collision", reference_location(clash.passed, clash.prefab),
             "this definition and '" + path_of(clash.kept).text() + "' both refer to " + name)
        .related.push_back({reference_location(clash.kept, clash.prefab), "the other definition"});
  }

  // The position of the reference from a definition to a prefab.
  Location reference_location(AssetNumber definition, const Guid& prefab) const {
    const SourceFile& source = project_.sources().get(definition);
    const yaml::NodeIndex fields =
        source.good() ? source.fields_of(source.document_of(0)) : yaml::kNoNode;
    for (const yaml::NodeIndex child : yaml::Children(source.tree, fields)) {
      const auto reference = any_reference_at({&source, child});
      if (!reference || reference.value().guid != prefab) continue;
      return {path_of(definition), source.tree.at(child).position};
    }
    return {path_of(definition), {}};
  }

  void add_disagreement(const IdDisagreement& found) {
    const RegistryEntry& entry = *found.server_entry;
    Finding& finding =
        findings_.add("type-id-disagreement", entry.location,
                      "the server has " + identity_of(entry).to_string() + " under type id " +
                          std::to_string(entry.type_id.value()) + ", the client under " +
                          std::to_string(found.client_entry->type_id.value()));
    finding.blocks_build = true;
    finding.related.push_back({found.client_entry->location, "the client's entry"});
  }

  void add_lacking(const Registry& registry, const Candidate& candidate, const Guid& guid) {
    const AssetNumber asset = project_.index().find(guid);
    std::string why = "is " + with_article(candidate.rule->assets_of_class);
    if (!candidate.rule->component.empty()) why = "carries " + candidate.rule->component;
    if (candidate.is_provider) why = "belongs to '" + path_of(candidate.asset).text() + "'";
    const std::string missing_from =
        members_.is_listed(candidate) ? "'" + path_of(registry.asset).text() + "' does not list it"
                                      : "no " + declaration_.name + " lists it";
    findings_.add("unregistered-prefab", {path_of(asset == kNoAsset ? candidate.asset : asset), {}},
                  "this asset " + why + " but " + missing_from);
  }

  const Project& project_;
  const ClassDeclaration& declaration_;
  ClassMembers members_;
  /// The files that were already reported for another class.
  std::set<AssetNumber>& reported_unreadable_;
  Findings& findings_;
};

}  // namespace

void check_registration(const Project& project, TargetSet targets, Findings& findings) {
  std::set<AssetNumber> reported_unreadable;
  for (const ClassDeclaration& declaration : project.model().classes) {
    RegistrationCheck(project, declaration, reported_unreadable, findings).run(targets);
  }
}

}  // namespace muster
