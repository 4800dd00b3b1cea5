// The parts of a build that servers and clients both use: catalog, names and the game.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "net/secure/handshake.h"
#include "registry/base/type_id.h"
#include "runtime/assets/bundle_source.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/bundle/catalog_reader.h"
#include "runtime/session/build.h"
#include "runtime/session/game.h"

namespace muster {

/// The class names of the registry of replicated entities and of the registry of levels.
inline constexpr std::string_view kReplicatedRegistry = "ReplicatedEntityRegistry";
inline constexpr std::string_view kLevelRegistry = "LevelRegistry";

/// An opened build. Immutable after `open`; any thread may read it.
class BuildContent {
 public:
  static Result<std::shared_ptr<const BuildContent>> open(std::string_view folder, Target target,
                                                          const Game& game,
                                                          const BuildOpenOptions& options);

  const Game& game() const { return game_; }
  Target target() const { return target_; }
  const BuildOpenOptions& options() const { return options_; }
  const CatalogReader& catalog() const { return *catalog_; }
  const BundleSource& source() const { return *source_; }
  /// The components of the game and of the library, sorted by name.
  const std::vector<ComponentDescription>& components() const { return components_; }
  /// The index of the registry of replicated entities.
  RegistryIndex registry() const { return registry_; }
  std::string text() const;

  Result<TypeId> type(EntityType type) const;
  /// Returns the asset of a level. Fails with `not_found` if the build does not have the level; the
  /// message then lists the most similar names.
  Result<Guid> level(LevelKey level) const;
  /// The project path of a replicated type; empty if the build does not have the type id.
  std::string_view path(TypeId type) const;
  /// The asset at a project path. The result is null if the build has no such asset.
  Guid asset(std::string_view path) const;
  Agreement agreement() const;

  /// Opens a store for one server or client. Each server and client has a separate store, and owns
  /// the assets that are loaded from this store.
  Result<BundleStore> open_store(std::shared_ptr<MemoryPool> memory) const;

 private:
  /// The names of a registry's entries: the paths, and the short names that exactly one entry has.
  struct Names {
    /// The index of the catalog's entry, by name.
    std::unordered_map<std::string, std::uint32_t> entries;
    /// The number of entries that have the short name.
    std::unordered_map<std::string, std::uint32_t> shared;
  };
  BuildContent(const Game& game, Target target, const BuildOpenOptions& options)
      : game_(game), target_(target), options_(options) {}

  Result<void> open_catalog(const std::string& folder);
  std::vector<VariantSetting> variants() const;
  Result<void> check_components() const;
  void index_names(RegistryIndex registry, Names& names) const;
  Result<std::uint32_t> find_entry(const Names& names, std::string_view name,
                                   std::string_view what) const;

  Game game_;
  Target target_;
  BuildOpenOptions options_;
  std::string folder_;
  std::unique_ptr<BundleSource> source_;
  std::unique_ptr<BundleFile> file_;
  std::optional<CatalogReader> catalog_;
  std::vector<ComponentDescription> components_;
  RegistryIndex registry_{};
  Names types_;
  Names levels_;
};

}  // namespace muster
