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
  /// Chosen variants, as {"quality", "low"}; all others are the defaults.
  std::vector<std::pair<std::string, std::string>> variants{};
  /// Memory for the loaded bundles of one end.
  std::uint64_t memory_bytes_max = std::uint64_t{1} << 30U;
};

/// An opened catalog that fits a game. A cheap immutable value: copies share it, any thread may use
/// it, and objects that are opened from it keep it alive. Reads no bundle.
class Build {
 public:
  /// `folder` is the output of `muster build`; the part of the target is chosen inside. Fails with
  /// `not_found` when no build is there (the message has the command that makes one), like
  /// `CatalogReader::open` for a damaged catalog, and with `invalid_argument` when the game is not
  /// valid or a component differs from the one that the content was cooked with.
  static Result<Build> open(std::string_view folder, Target target, const Game& game,
                            const BuildOpenOptions& options = {});

  /// The type id of an entry. Fails with `not_found`, with the nearest names in the message.
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

/// What `reload` has done with the living entities.
struct ReloadSummary {
  std::uint32_t unchanged = 0;
  std::uint32_t updated = 0;    ///< Have the new values.
  std::uint32_t rebuilt = 0;    ///< Have other components or children; the root is the same one.
  std::uint32_t failed = 0;     ///< Stay as they are: the new build cannot spawn them.
  bool has_new_types = false;   ///< Clients of a server began a new map.
  std::vector<Guid> changed{};  ///< Prefabs whose entities were updated or rebuilt; sorted.
  std::vector<Error> errors{};  ///< One for each prefab that failed.
};

/// Checks a game: its rate, and that its types have different names. Fails with `invalid_argument`.
Result<void> check(const Game& game);

/// Writes `components.json`, which `muster build` reads: for a tool of the game's own build. Fails
/// as the disk does.
Result<void> export_components(const Game& game, const std::string& path);

/// Prints an error to standard error and returns 1: `return complain(server.error());`
int complain(const Error& error);

}  // namespace muster
