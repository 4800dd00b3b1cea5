// A registry class as data. A project adds its own classes without C++.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/base/type_id.h"
#include "registry/project/config.h"

namespace muster {

/// How an entry refers to one asset. A path is keys joined by dots; `[]` visits every item of a
/// list; a strong reference on the path is followed into its asset. So `prefabClient` works for an
/// inline entry, and for an entry that refers to a definition asset.
struct ReferenceRule {
  enum class Role : std::uint8_t {
    asset,    ///< Any file: packed unchanged.
    prefab,   ///< A prefab.
    factory,  ///< An asset that creates entities of pure data.
  };
  std::string path;
  bool strong = false;
  TargetSet targets;
  Role role = Role::asset;
  /// The rule applies only to entries with one of these keys. If empty, it applies to all entries.
  std::vector<std::string> when;
  /// The rule does not apply to entries with one of these keys. `key[]` matches only a key with a
  /// list.
  std::vector<std::string> unless;
  /// Values that are not assets: they mean an object of the engine.
  std::vector<std::string> ignore;
  /// A folder means all assets in it that a build can contain.
  bool expands_folders = false;
  /// The position of the declaration in `muster.yaml`; line 0 for built-in rules.
  yaml::Position position = {};
};

/// How `prepare` finds the members of a registry.
struct PrepareRule {
  std::string component;        ///< All prefabs whose root has this component, or
  std::string assets_of_class;  ///< all assets of this class or of one derived from it.
  std::string field;  ///< The entry's key for the asset; if empty, the entry is the reference.
  bool strong = false;
  /// Only prefabs whose component sets this weak reference.
  std::string required_reference;
};

/// The form of new entries if the registry has no entry to imitate.
struct EntryField {
  enum class Kind : std::uint8_t {
    weak_words,
    strong,
    own_guid,
    owner,
    copied_number,
    number,  ///< The user fills it in.
  };
  std::string key;
  Kind kind = Kind::weak_words;
};

/// One class of registries.
struct ClassDeclaration {
  std::string name;
  std::optional<Guid> script;      ///< An alternative to the class's name.
  std::vector<std::string> lists;  ///< Keys of the entries; the first existing one is used.
  std::vector<ReferenceRule> references;
  std::vector<PrepareRule> prepare;
  /// The interface of assets that represent two prefabs, one per side, in layouts whose registries
  /// have a side (`server`). Empty if the class has none.
  std::string provider_interface;
  /// Whether the registry's own asset is content. A registry that only controls an editor's build
  /// is packed only if a packed asset refers to it.
  bool is_packed = true;
  /// Whether a registry is not an asset but a component of a game object in a prefab or scene. Such
  /// classes have no ids, and `prepare` does not change their files.
  bool is_component = false;
  /// Keys of a component registry that each contain one more entry, outside the registry's list.
  std::vector<std::string> single_entries;
  std::vector<EntryField> entry_template;
  std::uint32_t first_id = 0;  ///< 1 if 0 means "none" on the wire.
  /// True for the built-in classes whose definitions count from 1 in layout S and from 0 in M.
  bool first_id_by_layout = false;
  /// True for the built-in classes that exist in layout F. In layout F a `registryId` in a
  /// definition has no meaning: it is from an older layout, and the definition was not saved since.
  bool is_in_last_layout = false;
  bool definitions_store_ids = true;       ///< False if the project has layout F.
  bool definitions_say_guid = false;       ///< Definitions store their own guid under `guid`.
  std::string owner_path;                  ///< Weak reference to the owner of an entry.
  std::vector<std::string> own_guid_keys;  ///< Keys of an entry that repeat its asset's guid.
  std::string component;                   ///< Required on the root of every registered prefab.
  std::vector<std::string> component_guid_paths;  ///< Its keys for the asset's guid.
  std::string pool_size_path;                     ///< Must be positive if it exists.
  /// Keys of the registry's asset whose guids are not assets but identities in another tool.
  std::vector<std::string> foreign_guid_keys;
  /// Keys of a plain registry and of its entries that the game itself reads.
  std::vector<std::string> field_keys;
  std::vector<std::string> key_paths;  ///< Scalars and weak references that identify an entry.
  /// False if entries are found by their guids only. Such entries have no type ids, so their number
  /// has no limit, and they have no lock and no comparison with shipped ids.
  bool has_ids = true;
  /// The ready-made set of the class, as named in `classes_from`; empty for other classes. Roots do
  /// not list registries of ready-made classes, because such registries are for both targets.
  std::string ready_made;
  /// The project's settings do not request the class, so only its script identifies it.
  bool is_assumed = false;
};

/// The seven registries of the seeds and Presentation, in all layouts of FPSSample.
const std::vector<ClassDeclaration>& builtin_classes();

/// True for a class with the name of a built-in one, also if the project redeclares it.
bool is_built_in(const ClassDeclaration& declaration);

/// The built-in classes, the ready-made ones that the project names (`classes_from`; without that
/// key all of them), and those that it declares. A later class replaces an earlier one of the same
/// name. Fails with `malformed`, naming the line of `muster.yaml`.
Result<std::vector<ClassDeclaration>> declared_classes(const ProjectConfig& config);

/// The class of assets that list a target's registries.
inline constexpr std::string_view kRootClass = "AssetRegistryRoot";

}  // namespace muster
