// A build of a game's content for one target.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/base/guid.h"
#include "registry/base/result.h"
#include "registry/base/type_id.h"
#include "runtime/session/game.h"

namespace muster {

class BuildContent;

/// How a build is opened.
struct BuildOpenOptions {
  /// The chosen variants, for example {"quality", "low"}. An axis without a chosen variant has its
  /// default variant.
  std::vector<std::pair<std::string, std::string>> variants{};
  /// The maximum memory for the loaded bundles of one server or client.
  std::uint64_t memory_bytes_max = std::uint64_t{1} << 30U;
};

/// An opened catalog whose components match the components of the game. A build is immutable.
/// Copying a build is cheap, because all copies share the catalog. Any thread may use a build. A
/// server or client that is opened from a build keeps the catalog alive. A build reads no bundle.
class Build {
 public:
  /// Opens the target's part of `folder`, which is the output folder of `muster build`. Fails with
  /// `not_found` if the folder has no build; the message then has the command that makes a build.
  /// Fails as `CatalogReader::open` does if the catalog is damaged. Fails with `invalid_argument`
  /// if the game is not valid, or if a component of the game differs from the component that the
  /// content was cooked with.
  static Result<Build> open(std::string_view folder, Target target, const Game& game,
                            const BuildOpenOptions& options = {});

  /// Returns the type id of an entity type. Fails with `not_found`; the message then lists the most
  /// similar names.
  Result<TypeId> type(EntityType type) const;
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
  std::vector<Guid> changed{};  ///< The prefabs whose entities were updated or rebuilt; sorted.
  std::vector<Error> errors{};  ///< One error for each prefab that failed.
};

/// Checks that a game's values are in range, that its types have different names, and that its
/// systems use only components of the game. Fails with `invalid_argument`.
Result<void> check(const Game& game);

/// Writes `components.json`, which `muster build` reads. Call this function in a small program that
/// runs while the game is built. Fails with the disk's error.
Result<void> export_components(const Game& game, const std::string& path);

/// Prints an error to standard error and returns 1. For example, `main` can end with `return
/// complain(server.error());`.
int complain(const Error& error);

}  // namespace muster
