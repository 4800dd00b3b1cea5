// A build of a game's content for one target.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "registry/base/clock.h"
#include "registry/base/guid.h"
#include "registry/base/result.h"
#include "registry/base/type_id.h"
#include "runtime/session/game.h"

namespace muster {

class BuildContent;

/// The options of `Build::open`.
struct BuildOpenOptions {
  /// The chosen variants, for example {"quality", "low"}. If no variant of an axis is chosen, the
  /// build has the axis's default variant.
  std::vector<std::pair<std::string, std::string>> variants{};
  /// The maximum memory for the loaded bundles of one server or client.
  std::uint64_t memory_bytes_max = std::uint64_t{1} << 30U;
};

/// An opened catalog whose components match the components of the game. A build is immutable.
/// Copying a build takes little time, because all copies share the catalog. Any thread may use a
/// build. A server or client that is opened from a build keeps the catalog alive. A build reads no
/// bundle.
class Build {
 public:
  /// Opens the target's part of `folder`, which is the output folder of `muster build`. Fails with
  /// `not_found` if the folder has no build; the message then has the command that makes a build.
  /// Also fails with `not_found` if the build has no registry of replicated entities. If the
  /// catalog is damaged, fails with the code of `CatalogReader::open`. Fails with
  /// `invalid_argument` if the game is not valid, if the folder has a build for another target, if
  /// a component of the game differs from the component that the content was cooked with, or if the
  /// build does not have a chosen variant.
  static Result<Build> open(std::string_view folder, Target target, const Game& game,
                            const BuildOpenOptions& options = {});

  /// Returns the type id of an entity type. Fails with `not_found` if the build does not have the
  /// type; the message then lists the most similar names.
  Result<TypeId> type(EntityType type) const;
  /// The type ids of all replicated entity types, in the order of the registry. Only the build's
  /// first registry of replicated entities counts.
  std::vector<TypeId> types() const;
  /// The project path of an asset. The path is empty if the build does not have the asset, and
  /// lives as long as the build.
  std::string_view path(const Guid& asset) const;
  /// Returns true if the content of the two builds agrees: type ids and components are equal. A
  /// server refuses a client whose content does not agree with the server's content.
  bool agrees_with(const Build& other) const;
  /// Returns the build's name, target and fingerprint, for logs.
  std::string text() const;

  /// The content of the build, for the library's classes.
  const BuildContent& content() const { return *content_; }
  std::shared_ptr<const BuildContent> shared_content() const { return content_; }

 private:
  explicit Build(std::shared_ptr<const BuildContent> content) : content_(std::move(content)) {}
  std::shared_ptr<const BuildContent> content_;
};

/// Counts the entities that a `reload` has kept, updated, rebuilt or failed to update.
struct ReloadSummary {
  std::uint32_t unchanged = 0;
  std::uint32_t updated = 0;  ///< Entities that got the new values.
  /// Entities whose prefab has other components or children now. Only the root was kept.
  std::uint32_t rebuilt = 0;
  /// Entities that were not changed, because the new build cannot spawn them.
  std::uint32_t failed = 0;
  bool has_new_types = false;   ///< Whether the server's clients began a new map.
  std::vector<Guid> changed{};  ///< Prefabs with updated or rebuilt entities; sorted.
  std::vector<Error> errors{};  ///< One error for each prefab that failed.
};

/// The result of spawning one asset of a build, or of playing one of its effects.
struct TourStop {
  Target target{};
  std::string registry{};  ///< The class of the registry, or a name for other assets.
  /// The type id of an entry or of an effect, or the type of a presentation.
  std::variant<TypeId, PresentationType> type{};
  Guid guid{};
  std::string path{};
  std::uint64_t bundle_bytes = 0;
  /// The time to load the bundles that were not loaded before this stop.
  Duration load_time{};
  std::uint32_t entities = 0;
  std::uint32_t components = 0;  ///< The components with a description, which are in the world.
  /// The components without a description, which are not in the world.
  std::uint32_t other_components = 0;
  std::string error{};  ///< Empty for success.

  std::uint32_t type_number() const;  ///< The number of `type`, for reports.
};

/// The results of one or more tours.
struct TourReport {
  std::vector<TourStop> stops{};
  std::uint64_t effects_played = 0;
  std::uint64_t effects_ended = 0;
  /// The entities that still exist after a tour has despawned all entities; 0 unless there is a
  /// bug.
  std::uint32_t left_over = 0;
  std::uint64_t bundles_opened = 0;
  std::uint64_t bundle_bytes = 0;

  std::uint32_t failures() const;
};

/// Tests the content of a build: spawns one entity of each type id and of each presentation, plays
/// each effect to its end, and adds the results to `report`. After a failure the tour continues.
/// `clock` measures the loading.
void tour(const Build& build, const Clock& clock, TourReport& report);

/// Checks that a game's values are in range, that its types have different names, and that its
/// systems use only components of the game. Fails with `invalid_argument`.
Result<void> check(const Game& game);

/// Writes `components.json`, which `muster build` reads. Call this function in a small program that
/// runs while the game is built. Fails if the file cannot be written, with the code of the disk's
/// error.
Result<void> export_components(const Game& game, const std::string& path);

/// Prints an error to standard error and returns 1. For example, `main` can end with `return
/// complain(server.error());`.
int complain(const Error& error);

}  // namespace muster
