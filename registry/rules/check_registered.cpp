#include <algorithm>
#include <charconv>

#include "registry/model/membership.h"
#include "registry/rules/registered_assets.h"

namespace muster {
namespace {

// Whether the root has a component whose script is not in the project.
bool has_unknown_component(const Project& project, const SourcePrefab& prefab) {
  return std::ranges::any_of(
      prefab.entities.front().components, [&](const SourceComponent& component) {
        return !component.script.is_null() && project.index().find(component.script) == kNoAsset;
      });
}

}  // namespace

std::string RegisteredAssets::path_of(AssetNumber asset) const {
  return "'" + project_.index().at(asset).path.text() + "'";
}

const SourceComponent* RegisteredAssets::component_of(AssetNumber prefab) const {
  return root_component(project_, prefab, registry_.declaration->component);
}

Finding& RegisteredAssets::add(std::string_view rule, const Location& location,
                               std::string message) {
  Finding& finding = findings_.add(rule, location, std::move(message));
  finding.severity = std::max(finding.severity, Severity::error);
  finding.blocks_build = true;
  return finding;
}

std::vector<RegisteredAssets::Form> RegisteredAssets::forms_of(AssetNumber base,
                                                               const Location& location) const {
  std::vector<Form> forms{{base, base, location}};
  for (const VariantFile& file : project_.variants().of(base)) {
    forms.push_back({file.file, base, {project_.index().at(file.file).path, {}}});
  }
  return forms;
}

void RegisteredAssets::check_reference(const RegistryEntry& entry,
                                       const EntryReference& reference) {
  if (registry_.declaration->component.empty()) return;
  for (const Form& form : forms_of(reference.asset, reference.location)) {
    if (reference.role == ReferenceRule::Role::factory) check_own_guid(form, "the factory");
    if (reference.role != ReferenceRule::Role::prefab) continue;
    // Another rule reports a variant that is not a prefab.
    if (!form.is_variant() || is_prefab(project_.sources(), form.asset)) check_prefab(entry, form);
  }
}

void RegisteredAssets::check_definition(const RegistryEntry& entry) {
  if (!registry_.declaration->definitions_store_guid || entry.is_sub_definition) return;
  if (entry.definition == kNoAsset) return;
  for (const Form& form : forms_of(entry.definition, entry.definition_location)) {
    check_own_guid(form, "the definition");
  }
}

void RegisteredAssets::check_prefab(const RegistryEntry& entry, const Form& form) {
  const SourcePrefab& prefab = project_.prefabs().flatten(form.asset);
  if (prefab.entities.empty()) return;
  const SourceComponent* found = component_of(form.asset);
  if (found == nullptr) return add_missing(form, entry.location, prefab);
  check_stored_guid(form, *found);
  check_component_id(entry, form, *found);
}

void RegisteredAssets::add_missing(const Form& form, const Location& entry,
                                   const SourcePrefab& prefab) {
  const AssetPath& path = project_.index().at(form.asset).path;
  // A truncated file is reported by another rule, but the prefab is checked here, too.
  const bool is_cut = std::ranges::any_of(prefab.problems, [&](const PrefabProblem& problem) {
    return problem.kind == PrefabProblem::Kind::cut_short && problem.path == path;
  });
  const bool is_unread = prefab.is_incomplete && !is_cut;
  const std::string& wanted = registry_.declaration->component;
  std::string message = "the root of " + path_of(form.asset);
  message += is_unread ? " depends on a file that cannot be read, and shows no " + wanted
                       : " has no " + wanted;
  if (form.is_variant()) message += ", which the root of " + path_of(form.base) + " has to have";
  Finding& finding = add("missing-component", form.location, std::move(message));
  if (form.is_variant()) {
    finding.related.push_back({entry, "the entry of the base"});
  } else {
    finding.related.push_back({{path, {}}, "the prefab"});
  }
  // A script outside the project (in a package or an assembly) may derive from the component.
  if (is_unread || has_unknown_component(project_, prefab)) {
    finding.severity = Severity::warning;
    finding.blocks_build = false;
  }
}

void RegisteredAssets::check_stored_guid(const Form& form, const SourceComponent& component) {
  const Guid& guid = project_.index().at(form.base).guid;
  const AssetPath& path = project_.index().at(form.asset).path;
  for (const std::string& field : registry_.declaration->component_guid_paths) {
    const auto stored = component.weak_reference(field);
    if (!stored && !component.scalar(field + ".val0")) continue;
    const SourceComponent::FieldNode at = component.find(field);
    const bool is_own = at.source != nullptr && at.source->path == path;
    const SourceComponent* base = form.is_variant() && !is_own ? component_of(form.base) : nullptr;
    // In this case the base has a finding.
    if (base != nullptr && base->weak_reference(field) == stored) return;
    const Location location =
        is_own ? Location{path, at.source->tree.at(at.node).position} : form.location;
    const std::string subject =
        std::string(form.is_variant() ? "the variant's " : "the prefab's ") +
        registry_.declaration->component;
    if (!stored) {
      findings_.add("malformed-guid", location,
                    "a weak reference has 'val0' to 'val3', integers of 32 bits");
    } else if (stored->is_null()) {
      // A build uses the guid in the entry, so this rule is only a warning.
      findings_.add("unset-own-guid", location,
                    subject + " does not store its guid, " + guid.to_string());
    } else if (*stored != guid) {
      add("own-guid-mismatch", location,
          subject + " says " + stored->to_string() + " but " +
              (form.is_variant() ? "it is a variant of " + path_of(form.base) + ", whose guid is "
                                 : std::string("the prefab's guid is ")) +
              guid.to_string());
    }
    return;
  }
}

void RegisteredAssets::check_component_id(const RegistryEntry& entry, const Form& form,
                                          const SourceComponent& component) {
  if (!entry.own_guid.is_null()) return;  // In layout F this field has no meaning.
  const auto stored = component.scalar("registryId");
  if (!stored) return;
  std::int64_t value = 0;
  const auto parsed = std::from_chars(stored->data(), stored->data() + stored->size(), value);
  if (parsed.ec != std::errc() || value == entry.type_id.value()) return;
  const SourceComponent::FieldNode at = component.find("registryId");
  Location location = form.location;
  if (!form.is_variant() || at.source->path == location.path) {
    location = {at.source->path, at.source->tree.at(at.node).position};
  } else if (const SourceComponent* base = component_of(form.base);
             base != nullptr && base->scalar("registryId") == stored) {
    return;  // The base has a finding.
  }
  add("registry-id-mismatch", location,
      "stored registry id " + std::string(*stored) + ", but the entry has id " +
          std::to_string(entry.type_id.value()));
}

void RegisteredAssets::check_own_guid(const Form& form, const std::string& subject) {
  const SourceFile& source = project_.sources().get(form.asset);
  const Guid& guid = project_.index().at(form.base).guid;
  if (!source.good()) return;
  const yaml::NodeIndex node = source.tree.find(source.fields_of(source.document_of(0)), "guid");
  if (node == yaml::kNoNode) return;
  const auto stored = yaml::weak_reference_at(source.tree, node);
  const Location location{source.path, source.tree.at(node).position};
  if (stored && stored.value().is_null()) {
    findings_.add("unset-own-guid", location,
                  subject + " does not store its guid, " + guid.to_string());
  } else if (stored && stored.value() != guid) {
    add("own-guid-mismatch", location,
        subject + " says " + stored.value().to_string() + " but " +
            (form.is_variant() ? "it is a variant of " + path_of(form.base) + ", whose guid is "
                               : std::string("its guid is ")) +
            guid.to_string());
  }
}

void RegisteredAssets::check_owner(const RegistryEntry& entry) {
  const ClassDeclaration& declaration = *registry_.declaration;
  if (!declaration.owner_path.empty() && entry.owner.is_null()) {
    findings_.add("missing-owner", entry.location,
                  "this entry cannot be found, because it has no owner");
    return;
  }
  for (const PrepareRule& rule : declaration.prepare) {
    const auto prefab =
        std::ranges::find(entry.references, ReferenceRule::Role::prefab, &EntryReference::role);
    if (rule.required_reference.empty() || prefab == entry.references.end()) continue;
    if (prefab->asset == kNoAsset) continue;
    for (const Form& form : forms_of(prefab->asset, entry.location)) {
      if (!is_prefab(project_.sources(), form.asset)) continue;
      const SourceComponent* component = root_component(project_, form.asset, rule.component);
      if (component != nullptr) check_copies(entry, form, *component, rule.required_reference);
    }
  }
}

void RegisteredAssets::check_copies(const RegistryEntry& entry, const Form& form,
                                    const SourceComponent& component,
                                    const std::string& owner_path) {
  const ClassDeclaration& declaration = *registry_.declaration;
  const auto add_outdated = [&](const std::string& what) {
    if (form.is_variant()) {
      findings_
          .add("outdated-entry", form.location,
               "this variant's " + component.class_name + " has another " + what +
                   " than the entry of " + path_of(form.base))
          .related.push_back({entry.location, "the entry"});
      return;
    }
    findings_.add(
        "outdated-entry", entry.location,
        "the prefab's " + component.class_name + " has another " + what + " than this entry");
  };
  const Guid owner = component.weak_reference(owner_path).value_or(Guid());
  if (!owner.is_null() && owner != entry.owner) add_outdated("owner");
  for (std::size_t i = 0; i < declaration.key_paths.size(); ++i) {
    const auto field =
        std::ranges::find(declaration.entry_template, declaration.key_paths[i], &EntryField::key);
    if (field == declaration.entry_template.end()) continue;
    if (field->kind != EntryField::Kind::copied_number) continue;
    const std::string_view stored = entry.key[i].empty() ? "0" : std::string_view(entry.key[i]);
    if (component.scalar(field->key).value_or("0") != stored) add_outdated(field->key);
  }
}

}  // namespace muster
