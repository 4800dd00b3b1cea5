// What the assets that a registry lists say of themselves, in every form that they have.
#pragma once

#include <string>
#include <vector>

#include "registry/model/registry_model.h"
#include "registry/rules/finding.h"

namespace muster {

/// The part of `check_entries` that looks into what entries name. A variant of such an asset stands
/// in its place, under its guid and type id, so it is held to the same rules; what is wrong with it
/// is told at its own file. All arguments must outlive it.
class RegisteredAssets {
 public:
  RegisteredAssets(const Project& project, const Registry& registry, Findings& findings)
      : project_(project), registry_(registry), findings_(findings) {}

  /// A prefab or factory. Requires: the reference leads to an asset that can be one.
  void check_reference(const RegistryEntry& entry, const EntryReference& reference);
  /// The guid that a definition says, where its class has that.
  void check_definition(const RegistryEntry& entry);
  /// What an entry copies from its prefab, as `prepare` does; and that it has an owner.
  void check_owner(const RegistryEntry& entry);

 private:
  /// An asset, or a variant of it.
  struct Form {
    AssetNumber asset = kNoAsset;
    AssetNumber base = kNoAsset;  ///< Whose guid it has.
    Location place;               ///< Of what is wrong with it as a whole.
    bool is_variant() const { return asset != base; }
  };
  std::vector<Form> forms_of(AssetNumber base, const Location& place) const;
  std::string path_of(AssetNumber asset) const;
  const SourceComponent* component_of(AssetNumber prefab) const;
  Finding& add(std::string_view rule, const Location& location, std::string message);

  void check_prefab(const RegistryEntry& entry, const Form& form);
  void add_missing(const Form& form, const Location& entry, const SourcePrefab& prefab);
  void check_stored_guid(const Form& form, const SourceComponent& component);
  void check_own_guid(const Form& form, const std::string& whose);
  void check_component_id(const RegistryEntry& entry, const Form& form,
                          const SourceComponent& component);
  void check_copies(const RegistryEntry& entry, const Form& form, const SourceComponent& component,
                    const std::string& owner_path);

  const Project& project_;
  const Registry& registry_;
  Findings& findings_;
};

}  // namespace muster
