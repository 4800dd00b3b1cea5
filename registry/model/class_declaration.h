// What a registry class is, as data: a project adds its own without C++.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/base/type_id.h"
#include "registry/project/config.h"

namespace muster {

/// How an entry names one asset. A path is keys joined by dots; `[]` visits every item of a list; a
/// strong reference on the way is followed into the asset that it names. So `prefabClient` works
/// for an inline entry and for an entry that is a reference to a definition asset.
struct ReferenceRule {
  enum class Role : std::uint8_t {
    asset,    ///< Anything: packed as it is.
    prefab,   ///< A prefab.
    factory,  ///< An asset that creates entities of pure data.
  };
  std::string path;
  bool strong = false;
  TargetSet targets;
  Role role = Role::asset;
  /// The rule holds only for entries that have one of these keys. Empty: for all.
  std::vector<std::string> when;
  /// The rule does not hold for entries that have one of these keys; `key[]`: have it as a list.
  std::vector<std::string> unless;
  /// Values that name no asset: what stands for something of the engine's.
  std::vector<std::string> ignore;
  /// A folder stands for all assets in it that a build can hold.
  bool expands_folders = false;
  /// Where a project declares it in `muster.yaml`; line 0 for the rules that are built in.
  yaml::Position position = {};
};

/// How `prepare` finds what belongs into a registry.
struct PrepareRule {
  std::string component;        ///< All prefabs whose root carries this component, or
  std::string assets_of_class;  ///< all assets of this class or of one derived from it.
  std::string field;  ///< Where an entry holds the asset; empty: the entry is the reference.
  bool strong = false;
  /// Only prefabs on whose component this weak reference is set.
  std::string required_reference;
};

/// How new entries are written when the registry has none to imitate.
struct EntryField {
  enum class Kind : std::uint8_t {
    weak_words,
    strong,
    own_guid,
    owner,
    copied_number,
    number,  ///< A person fills it.
  };
  std::string key;
  Kind kind = Kind::weak_words;
};

/// One class of registries.
struct ClassDeclaration {
  std::string name;
  std::optional<Guid> script;      ///< Found by this guid as well as by the class's name.
  std::vector<std::string> lists;  ///< Where the entries are; the first that exists counts.
  std::vector<ReferenceRule> references;
  std::vector<PrepareRule> prepare;
  /// Implemented by assets that stand for two prefabs, one per side, in layouts whose registries
  /// say their side (`server`); empty: the class has none.
  std::string provider_interface;
  /// Whether the registry's own asset is content. One that only says what is built, for an editor,
  /// is packed where something that is built refers to it, and not otherwise.
  bool is_packed = true;
  /// Whether a registry is no asset of its own but a component of a game object, in a prefab or a
  /// scene. Such classes have no ids, and `prepare` leaves their files alone.
  bool is_component = false;
  /// Keys of such a component that hold one more entry each, beside its list.
  std::vector<std::string> single_entries;
  std::vector<EntryField> entry_template;
  std::uint32_t first_id = 0;  ///< 1 where 0 means "none" on the wire.
  /// The built-in classes whose definitions count from 1 in layout S and from 0 in layout M.
  bool first_id_by_layout = false;
  /// The built-in classes that layout F still has. A `registryId` that its definitions hold is a
  /// leftover of an older layout, because nobody saved them since, and means nothing.
  bool is_in_last_layout = false;
  bool definitions_store_ids = true;       ///< False once the project shows layout F.
  bool definitions_say_guid = false;       ///< They store their own guid under `guid`.
  std::string owner_path;                  ///< Weak reference to what an entry belongs to.
  std::vector<std::string> own_guid_keys;  ///< Where an entry repeats its asset's guid.
  std::string component;                   ///< What the root of every registered prefab must carry.
  std::vector<std::string> component_guid_paths;  ///< Where that component stores the asset's guid.
  std::string pool_size_path;                     ///< Must be positive where it exists.
  /// Keys of the registry's asset whose guids name no asset: what another tool numbers it by.
  std::vector<std::string> foreign_guid_keys;
  /// Keys of a plain registry and of its entries that the game reads itself.
  std::vector<std::string> field_keys;
  std::vector<std::string> key_paths;  ///< Scalars and weak references that make entries distinct.
  /// False where entries are found by their guids alone: they get no type ids, so that there is no
  /// limit of them, no lock, and nothing to compare with what has shipped.
  bool has_ids = true;
  /// The ready-made set that it is of, as `classes_from` names it; empty for others. No root lists
  /// registries of a package's class: they are for both targets.
  std::string ready_made;
  /// Nothing in the project's settings asks for it: only what shows its script is of the class.
  bool is_assumed = false;
};

/// The seven registries of the seeds and Presentation, in every layout that FPSSample has had.
const std::vector<ClassDeclaration>& builtin_classes();

/// True for a class with the name of a built-in one, also when the project declares it anew.
bool is_built_in(const ClassDeclaration& declaration);

/// The built-in classes, the ready-made ones that the project names (`classes_from`; without that
/// key all of them), and those that it declares; a later one of the same name replaces an earlier.
/// Fails with `malformed`, naming the line of `muster.yaml`.
Result<std::vector<ClassDeclaration>> declared_classes(const ProjectConfig& config);

/// The class of the assets that list a target's registries.
inline constexpr std::string_view kRootClass = "AssetRegistryRoot";

}  // namespace muster
