// The resolved registries of a project: the assets, targets and ids of their entries.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "registry/model/class_declaration.h"
#include "registry/model/id_lock.h"
#include "registry/project/packages.h"
#include "registry/project/prefab.h"
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
  TargetSet targets;             ///< The targets of the rule that the registry's roots build for.
  ReferenceRule::Role role = ReferenceRule::Role::asset;
  bool strong = false;
  std::string field;  ///< Its key, such as `prefabClient`.
  /// Whether the reference is in the registry's asset list for a target. False for a strong factory
  /// of the older layouts, which is packed with the registry.
  bool emitted = true;
  Location location;
};

/// One slot of a registry.
struct RegistryEntry {
  std::size_t slot = 0;
  TypeId type_id;
  std::optional<std::uint32_t> explicit_id;  ///< As written in the entry.
  std::optional<std::int64_t> stored_id;     ///< As stored in the definition or component.
  Location stored_id_location;
  bool is_free = false;  ///< An empty slot; its id is never reused.
  Guid own_guid;         ///< The asset's guid as repeated in the entry; null if missing.
  Location own_guid_location;
  AssetNumber definition = kNoAsset;  ///< The definition asset that the entry refers to.
  bool is_sub_definition = false;     ///< The definition is one of several objects of its file.
  Guid definition_guid;               ///< Its guid, known even if the asset does not exist.
  Location definition_location;       ///< The position of the reference to it.
  Guid owner;                         ///< The owner of the entry; null if none.
  Guid folder;  ///< The folder whose assets the entry means; null if it names no folder.
  std::vector<EntryReference> references;
  std::optional<std::int64_t> pool_size;  ///< 0 if it is no number.
  std::string pool_size_text;             ///< As written; empty if it is no single value.
  Location pool_size_location;
  std::vector<std::string> key;  ///< The values of the class's key paths.
  Location location;
  yaml::NodeIndex node = yaml::kNoNode;
};

struct Registry {
  AssetNumber asset = kNoAsset;
  const ClassDeclaration* declaration = nullptr;
  TargetSet targets;                ///< The targets of the roots that list it.
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
    bool is_misplaced = false;  ///< It is not the main object of an asset; reported.
    Location location;
  };
  std::vector<Item> items;
};

/// A reference or file of an entry that could not be used.
struct ModelProblem {
  enum class Kind : std::uint8_t {
    unresolved,
    unreadable,
    textless,  ///< An asset without text that may be a root or registry.
    malformed_reference,
    wrong_target,  ///< A reference to an asset, but to none of its objects.
    malformed_type_id,
    malformed_entry,  ///< An item of a list that is neither a mapping nor a reference.
    malformed_flag,
    missing_list,   ///< A root or registry without the list of its class.
    too_many,       ///< A list with more entries than there are type ids.
    unknown_class,  ///< A root lists an asset that is no registry but readable.
    lost_class,     ///< A listed asset, or one that looks like a root or registry, has an unknown
                    ///< class.
  };
  Kind kind = Kind::unresolved;
  Location location;
  Guid guid;
  AssetNumber asset = kNoAsset;  ///< The unreadable file.
  std::string detail;
};

/// An asset whose class has the name of a root or registry class, but none of its fields: another
/// game's own class.
struct Namesake {
  AssetNumber asset = kNoAsset;
  std::string class_name;  ///< The class name that it shares.
};

struct RegistryModel {
  std::vector<ClassDeclaration> classes;
  std::vector<Registry> registries;  ///< Sorted by class, then path.
  std::vector<RegistryRoot> roots;   ///< Sorted by path.
  std::vector<ModelProblem> problems;
  std::vector<Namesake> namesakes;  ///< Sorted by asset.
  std::vector<LockFile> locks;      ///< Sorted by path.

  /// The lock that belongs to an asset, or null.
  const LockFile* lock_of(AssetNumber registry) const;
  /// The guids in a target's registries, sorted, each once. Each gets a bundle.
  std::vector<Guid> assets_for(Target target) const;
  /// The registries and roots of a target. They are packed too, with their definitions.
  std::vector<AssetNumber> holders_for(Target target) const;
};

class AssetMemory;
class Stripping;

/// All data about a project, for commands. Its members refer to one another, so a project must not
/// be moved.
class Project {
 public:
  /// Reads settings, index, references and registries. Fails if there is no project, if its
  /// settings are wrong, or with `cancelled`; every other error becomes a problem in its place.
  ///
  /// Without `wishes` the project contains every variant. With `wishes` it contains only the assets
  /// that a build with these wishes packs (`choose_for_build`, which may fail; `settle_variants`).
  /// Assets that `memory` knows need not be read.
  static Result<std::unique_ptr<Project>> open(
      const FileReader& files, unsigned jobs, const std::stop_token& stop,
      const Progress& progress = {},
      const std::optional<std::vector<VariantWish>>& wishes = std::nullopt,
      FileMemory* memory = nullptr);
  Project(const Project&) = delete;
  Project& operator=(const Project&) = delete;
  ~Project();

  const FileReader& files() const { return files_; }
  const ProjectConfig& config() const { return config_; }
  const AssetIndex& index() const { return index_; }
  const Variants& variants() const { return variants_; }
  /// The chosen variants; empty without `wishes`.
  const VariantKeys& choice() const { return choice_; }
  const ReferenceGraph& graph() const { return graph_; }
  const Scripts& scripts() const { return *scripts_; }
  const SourceCache& sources() const { return *sources_; }
  const PrefabFlattener& prefabs() const { return *prefabs_; }
  const RegistryModel& model() const { return model_; }
  /// The assets that builds for a target leave out: the rules of `strip`, applied on the first
  /// call. Safe to call from several threads.
  const Stripping& stripping(Target target) const;

  /// Facts that avoid reading assets, valid as long as the memory exists; null if none are kept.
  AssetMemory* memory() const { return memory_; }
  /// Requires: no other thread uses the project yet.
  void remember_in(AssetMemory& memory) { memory_ = &memory; }

  const Packages& packages() const { return *packages_; }

  /// True if no file of the project needs to have a guid: it is null, built into the engine,
  /// declared external, or of a known package.
  bool is_known_elsewhere(const Guid& guid) const {
    return guid.is_null() || is_builtin_resource(guid) || config_.external_guids.contains(guid) ||
           packages_->find(guid).has_value();
  }

 private:
  Project(const FileReader& files, unsigned jobs);

  const FileReader& files_;
  ProjectConfig config_;
  AssetIndex index_;
  Variants variants_;
  VariantKeys choice_;
  ReferenceGraph graph_;
  std::unique_ptr<Packages> packages_;
  std::unique_ptr<Scripts> scripts_;
  std::unique_ptr<SourceCache> sources_;
  std::unique_ptr<PrefabFlattener> prefabs_;
  RegistryModel model_;
  AssetMemory* memory_ = nullptr;
  unsigned jobs_;
  mutable std::mutex mutex_;
  mutable std::array<std::unique_ptr<const Stripping>, 2> stripping_;  // client, server
};

/// The class of an asset's main object: its script's class in Unity's dialect, the `class:` of a
/// plain file; empty for other files.
std::string class_of_asset(const Project& project, AssetNumber asset);

/// Builds the model. `Project::open` calls it last.
RegistryModel build_registry_model(const Project& project, std::vector<ClassDeclaration> classes);

}  // namespace muster
