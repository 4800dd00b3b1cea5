// Checks the data that registered assets and their variants store about themselves.
#pragma once

#include <string>
#include <vector>

#include "registry/model/project.h"
#include "registry/rules/finding.h"

namespace muster {

/// The part of `check_entries` that examines the assets of entries. A variant of an asset has the
/// asset's guid and type id, so the same rules apply to the variant. Problems of a variant are
/// reported in the variant's file. All arguments must outlive this object.
class RegisteredAssets {
 public:
  RegisteredAssets(const Project& project, const Registry& registry, Findings& findings)
      : project_(project), registry_(registry), findings_(findings) {}

  /// Checks a prefab or factory. Requires: the asset of the reference can be a prefab or factory.
  void check_reference(const RegistryEntry& entry, const EntryReference& reference);
  /// Checks the guid in a definition, if its class has one.
  void check_definition(const RegistryEntry& entry);
  /// Checks that an entry has an owner, and that its copies of the prefab's values are current.
  void check_owner(const RegistryEntry& entry);

 private:
  /// An asset, or a variant of an asset.
  struct Form {
    AssetNumber asset = kNoAsset;
    AssetNumber base = kNoAsset;  ///< The asset itself; for a variant, the base.
    Location location;            ///< The location for problems that have no position in the file.
    bool is_variant() const { return asset != base; }
  };
  std::vector<Form> forms_of(AssetNumber base, const Location& location) const;
  std::string path_of(AssetNumber asset) const;
  const SourceComponent* component_of(AssetNumber prefab) const;
  Finding& add(std::string_view rule, const Location& location, std::string message);

  void check_prefab(const RegistryEntry& entry, const Form& form);
  void add_missing(const Form& form, const Location& entry, const SourcePrefab& prefab);
  void check_stored_guid(const Form& form, const SourceComponent& component);
  void check_own_guid(const Form& form, const std::string& subject);
  void check_component_id(const RegistryEntry& entry, const Form& form,
                          const SourceComponent& component);
  void check_copies(const RegistryEntry& entry, const Form& form, const SourceComponent& component,
                    const std::string& owner_path);

  const Project& project_;
  const Registry& registry_;
  Findings& findings_;
};

}  // namespace muster
