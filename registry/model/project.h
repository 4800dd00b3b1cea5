// A project: its settings, files, references and registries.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

class AssetFactCache;
class Stripping;

/// All data about a project, for commands. A project cannot be moved, because its members refer to
/// one another.
class Project {
 public:
  /// Reads settings, index, references and registries. Fails if there is no project, if the
  /// settings are wrong, or with `cancelled`. Every other error is recorded in `problems` of the
  /// affected part (for example, of the index).
  ///
  /// Without `wishes` the project contains every variant. With `wishes` the project contains only
  /// the variants that a build with these wishes packs, and `open` also fails like
  /// `choose_for_build`. Unchanged files that `fact_cache` knows are not read.
  static Result<std::unique_ptr<Project>> open(
      const FileReader& files, unsigned jobs, const std::stop_token& stop,
      const Progress& progress = {},
      const std::optional<std::vector<VariantWish>>& wishes = std::nullopt,
      FileFactCache* fact_cache = nullptr);
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
  /// The assets that builds for a target leave out. The first call applies the rules of `strip`.
  /// Safe to call from several threads.
  const Stripping& stripping(Target target) const;

  /// The facts from earlier builds. An asset with such facts need not be read. The result is null
  /// if `remember_in` was not called.
  AssetFactCache* fact_cache() const { return fact_cache_; }
  /// Sets the result of `fact_cache()`. Requires: no other thread uses the project yet, and
  /// `fact_cache` outlives the project.
  void remember_in(AssetFactCache& fact_cache) { fact_cache_ = &fact_cache; }

  const Packages& packages() const { return *packages_; }

  /// True if the project need not contain an asset with this guid. This applies to the null guid,
  /// to guids of the engine, to guids that are declared external, and to guids of known packages.
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
  AssetFactCache* fact_cache_ = nullptr;
  unsigned jobs_;
  mutable std::mutex mutex_;
  // Index 0: client; index 1: server.
  mutable std::array<std::unique_ptr<const Stripping>, 2> stripping_;
};

/// The class of an asset's main object. In Unity's dialect, this is the class of the object's
/// script. In a plain file, it is the value of `class:`. The result is empty for other files.
std::string class_of_asset(const Project& project, AssetNumber asset);

}  // namespace muster
