// Describes a registry class as data, so that a project can add its own classes without C++.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/base/type_id.h"
#include "registry/project/config.h"

namespace muster {

/// How an entry refers to one asset. A path is a series of keys joined by dots. `[]` after a key
/// visits every item of the list. If the path reaches a strong reference, the path continues in the
/// referenced asset. For example, `prefabClient` works for an inline entry, and for an entry that
/// refers to a definition asset.
struct ReferenceRule {
  enum class Role : std::uint8_t {
    asset,    ///< Any file; it is packed unchanged.
    prefab,   ///< A prefab.
    factory,  ///< An asset that contains the components of one entity, without a prefab.
  };
  std::string path;
  bool strong = false;
  TargetSet targets;
  Role role = Role::asset;
  /// The rule applies only to entries with one of these keys. If the list is empty, the rule
  /// applies to all entries.
  std::vector<std::string> when;
  /// The rule does not apply to entries with one of these keys. `key[]` matches only a key with a
  /// list.
  std::vector<std::string> unless;
  /// Values that name an object of the engine instead of an asset.
  std::vector<std::string> ignore;
  /// If true, a reference to a folder means all assets in the folder that a build can contain.
  bool expands_folders = false;
  /// The position of the declaration in `muster.yaml`; line 0 for built-in rules.
  yaml::Position position = {};
};

/// How `prepare` finds the members of a registry.
struct PrepareRule {
  /// A component: each prefab whose root has the component is a member. Empty if unused.
  std::string component;
  /// A class: each asset of the class or of a derived class is a member. Empty if unused.
  std::string assets_of_class;
  std::string field;  ///< The entry's key for the asset; if empty, the entry is the reference.
  bool strong = false;
  /// The name of a weak reference. If the name is not empty, a prefab is a member only if its
  /// component sets this reference.
  std::string required_reference;
};

/// One field of a new entry, used if the registry has no entry whose form can be copied.
struct EntryField {
  enum class Kind : std::uint8_t {
    weak_words,
    strong,
    own_guid,
    owner,
    copied_number,
    number,  ///< A number that the user must fill in.
  };
  std::string key;
  Kind kind = Kind::weak_words;
};

/// One class of registries.
struct ClassDeclaration {
  std::string name;
  std::optional<Guid> script;  ///< The guid of the class's script; an asset of that script has the
                               ///< class under any name.
  /// Keys for the list of entries; the first key that exists is used.
  std::vector<std::string> lists;
  std::vector<ReferenceRule> references;
  std::vector<PrepareRule> prepare;
  /// The interface of providers: assets that represent one prefab for the client and one for the
  /// server. The interface is used in layouts whose registries have a `server` field. The text is
  /// empty if the class has no providers.
  std::string provider_interface;
  /// Whether the registry's own asset is always packed. If false, the registry only controls a
  /// build in the editor, and is packed only if a packed asset refers to the registry.
  bool is_packed = true;
  /// Whether a registry is a component of a game object in a prefab or scene, instead of an asset.
  /// Such classes have no ids, and `prepare` does not change their files.
  bool is_component = false;
  /// Keys of a component registry outside its list. Each key contains one additional entry.
  std::vector<std::string> single_entries;
  std::vector<EntryField> entry_template;
  std::uint32_t first_id = 0;  ///< The lowest type id; 1 if 0 means "none" on the wire.
  /// True for the built-in classes whose definitions count ids from 1 in layout S, and from 0 in
  /// layout M.
  bool first_id_by_layout = false;
  /// True for the built-in classes that exist in layout F. In layout F a `registryId` in a
  /// definition has no meaning. The value is from an older layout, and the definition was not saved
  /// again since then.
  bool is_in_last_layout = false;
  bool definitions_store_ids = true;    ///< Whether definitions store ids; false in layout F.
  bool definitions_store_guid = false;  ///< Whether definitions store their own guid under `guid`.
  std::string owner_path;               ///< The path of the weak reference to an entry's owner.
  std::vector<std::string> own_guid_keys;  ///< Keys whose values repeat the guid of the asset.
  std::string component;  ///< The component that the root of every registered prefab must have.
  /// The paths in this component that store the asset's guid.
  std::vector<std::string> component_guid_paths;
  /// The path of the pool size, a positive number that may be missing.
  std::string pool_size_path;
  /// Keys of the registry's asset whose guids identify objects of another tool, not assets.
  std::vector<std::string> foreign_guid_keys;
  /// Keys that the game itself reads, in a plain registry and in its entries.
  std::vector<std::string> field_keys;
  std::vector<std::string> key_paths;  ///< Scalars and weak references that identify an entry.
  /// False if entries are found only by their guids. Such entries have no type ids. So their number
  /// has no limit, no lock exists for them, and they are not compared with shipped ids.
  bool has_ids = true;
  /// The name of the ready-made set in `classes_from` that contains the class; empty for other
  /// classes. Registries of ready-made classes are for both targets, so roots do not list them.
  std::string ready_made;
  /// True if the project's settings do not name the class. Only the script identifies the assets of
  /// such a class.
  bool is_assumed = false;
};

/// The built-in classes, for all layouts of FPSSample.
const std::vector<ClassDeclaration>& builtin_classes();

/// True for a class with the name of a built-in class, even if the project declares it again.
bool is_built_in(const ClassDeclaration& declaration);

/// The built-in classes, the ready-made classes of the sets in `classes_from` (all sets if the key
/// is missing), and the project's own classes. A later class replaces an earlier class with the
/// same name. Fails with `malformed`, naming the line of `muster.yaml`.
Result<std::vector<ClassDeclaration>> declared_classes(const ProjectConfig& config);

/// The class of assets that list a target's registries.
inline constexpr std::string_view kRootClass = "AssetRegistryRoot";

}  // namespace muster
