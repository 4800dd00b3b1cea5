// A project's registries with resolved entries: assets, targets and type ids.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/model/class_declaration.h"
#include "registry/model/id_lock.h"
#include "registry/project/packages.h"
#include "registry/project/prefab_flattener.h"
#include "registry/project/reference_graph.h"

namespace muster {

/// A position in a file of the project.
struct Location {
  AssetPath path;
  yaml::Position position;
};

/// One asset to which an entry refers.
struct EntryReference {
  Guid guid;
  AssetNumber asset = kNoAsset;  ///< `kNoAsset` if no asset of the project has this guid.
  TargetSet targets;             ///< The targets that both the reference rule and the registry
                                 ///< have.
  ReferenceRule::Role role = ReferenceRule::Role::asset;
  bool strong = false;
  std::string field;  ///< The key of the reference, for example `prefabClient`.
  /// Whether the reference is in the registry's asset list for a target. False for a factory with a
  /// strong reference in an older layout, because such a factory is packed with the registry.
  bool emitted = true;
  Location location;
};

/// One slot of a registry.
struct RegistryEntry {
  std::size_t slot = 0;
  TypeId type_id;
  std::optional<std::uint32_t> explicit_id;  ///< The id that the entry itself contains.
  std::optional<std::int64_t> stored_id;     ///< The id that the definition or component stores.
  Location stored_id_location;
  bool is_free = false;  ///< Whether the slot is empty. Its id is never assigned again.
  Guid own_guid;         ///< The copy of the asset's guid in the entry; null if missing.
  Location own_guid_location;
  AssetNumber definition = kNoAsset;  ///< The definition asset that the entry refers to.
  bool is_sub_definition = false;     ///< Whether the definition's file contains several objects.
  Guid definition_guid;  ///< The guid of the definition, set even if the asset does not exist.
  Location definition_location;  ///< The position of the reference to the definition.
  Guid owner;                    ///< The owner of the entry; null if none exists.
  Guid folder;  ///< The folder whose assets the entry registers; null if the entry names no folder.
  std::vector<EntryReference> references;
  /// The number of pooled objects; 0 if the text is not a number.
  std::optional<std::int64_t> pool_size;
  std::string pool_size_text;  ///< The text of the pool size; empty if it is not a scalar.
  Location pool_size_location;
  std::vector<std::string> key;  ///< The values of the class's key paths.
  Location location;
  yaml::NodeIndex node = yaml::kNoNode;
};

struct Registry {
  AssetNumber asset = kNoAsset;
  const ClassDeclaration* declaration = nullptr;
  TargetSet targets;                ///< The targets of the roots that list the registry.
  std::optional<bool> server_flag;  ///< The `server` field of the oldest layout.
  std::vector<RegistryEntry> entries;
  std::vector<std::pair<TypeId, Location>> retired;
  yaml::NodeIndex list = yaml::kNoNode;
};

/// One asset that lists the registries of a target.
struct RegistryRoot {
  AssetNumber asset = kNoAsset;
  Target target = Target::client;
  struct Item {
    Guid guid;
    AssetNumber asset = kNoAsset;
    bool is_null = false;
    /// Whether the item refers to an object that is not the asset's main object.
    bool is_misplaced = false;
    Location location;
  };
  std::vector<Item> items;
};

/// A problem with a root, a registry or an entry: usually an unusable reference or file.
struct ModelProblem {
  enum class Kind : std::uint8_t {
    unresolved,
    unreadable,
    textless,  ///< An asset without text that may be a root or registry.
    malformed_reference,
    wrong_target,  ///< A reference to an object that the asset does not have.
    malformed_type_id,
    malformed_entry,  ///< An item of a list that is neither a mapping nor a reference.
    malformed_flag,
    missing_list,   ///< A root or registry that lacks the list of its class.
    too_many,       ///< A list with more entries than there are type ids.
    unknown_class,  ///< A root lists a readable asset that is not a registry.
    /// An asset that a root lists, or that looks like a root or registry, has an unknown class.
    lost_class,
  };
  Kind kind = Kind::unresolved;
  Location location;
  Guid guid;
  AssetNumber asset = kNoAsset;  ///< The unreadable file.
  std::string detail;
};

/// An asset whose class has the name of a root or registry class, but none of its fields. The class
/// is another game's own class.
struct Namesake {
  AssetNumber asset = kNoAsset;
  std::string class_name;  ///< The class name of the asset.
};

struct RegistryModel {
  std::vector<ClassDeclaration> classes;
  std::vector<Registry> registries;  ///< The registries, sorted by class, then by path.
  std::vector<RegistryRoot> roots;   ///< Sorted by path.
  std::vector<ModelProblem> problems;
  std::vector<Namesake> namesakes;  ///< Sorted by asset.
  std::vector<LockFile> locks;      ///< Sorted by path.

  /// The lock that belongs to an asset, or null.
  const LockFile* lock_of(AssetNumber registry) const;
  /// The guids in a target's registries, sorted, without duplicates. Each guid gets a bundle.
  std::vector<Guid> assets_for(Target target) const;
  /// The registries and roots of a target. Bundles also contain these assets and their definitions.
  std::vector<AssetNumber> holders_for(Target target) const;
};

class Project;

/// Builds the model. `Project::open` calls this function last.
RegistryModel build_registry_model(const Project& project, std::vector<ClassDeclaration> classes);

}  // namespace muster
