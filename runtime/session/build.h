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
  /// Chosen variants, such as {"quality", "low"}. Every other axis has its default.
  std::vector<std::pair<std::string, std::string>> variants{};
  /// The maximum memory for the loaded bundles of one server or client.
  std::uint64_t memory_bytes_max = std::uint64_t{1} << 30U;
};

/// An opened catalog that fits a game. An immutable value that is cheap to copy: copies share the
/// catalog. Any thread may use it. A server or client that is opened from it keeps the catalog
/// alive. Reads no bundle.
class Build {
 public:
  /// `folder` is the output of `muster build`; this function finds the target's part inside. Fails
  /// with `not_found` if the folder has no build (the message has the command that makes one). For
  /// a damaged catalog it fails as `CatalogReader::open` does. Fails with `invalid_argument` if the
  /// game is not valid, or if a component differs from the one that the content was cooked with.
  static Result<Build> open(std::string_view folder, Target target, const Game& game,
                            const BuildOpenOptions& options = {});

  /// The type id of an entry. Fails with `not_found`; the message has the most similar names.
  Result<TypeId> type(EntityType type) const;
  /// The build's name, target and fingerprint: for logs.
  std::string text() const;

  /// For the library's own classes.
  const BuildContent& content() const { return *content_; }
  std::shared_ptr<const BuildContent> shared_content() const { return content_; }

 private:
  explicit Build(std::shared_ptr<const BuildContent> content) : content_(std::move(content)) {}
  std::shared_ptr<const BuildContent> content_;
};

/// What `reload` has done with the existing entities: how many were changed, and how.
struct ReloadSummary {
  std::uint32_t unchanged = 0;
  std::uint32_t updated = 0;    ///< They have the new values.
  std::uint32_t rebuilt = 0;    ///< Their components or children changed; the root is the same.
  std::uint32_t failed = 0;     ///< They were not changed: the new build cannot spawn them.
  bool has_new_types = false;   ///< Clients of a server began a new map.
  std::vector<Guid> changed{};  ///< Prefabs whose entities were updated or rebuilt; sorted.
  std::vector<Error> errors{};  ///< One for each prefab that failed.
};

/// Checks a game: its rate, and that its types have different names. Fails with `invalid_argument`.
Result<void> check(const Game& game);

/// Writes `components.json`, which `muster build` reads. A program of the game's own build calls
/// this. Fails as the disk does.
Result<void> export_components(const Game& game, const std::string& path);

/// Prints an error to standard error and returns 1: `return complain(server.error());`
int complain(const Error& error);

}  // namespace muster
