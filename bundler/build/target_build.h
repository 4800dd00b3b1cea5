// Builds one target's bundles and catalog.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bundler/cache/cache_race.h"
#include "bundler/cook/asset_cooker.h"
#include "bundler/dictionaries/build_dictionaries.h"
#include "bundler/dictionaries/compression_plan.h"
#include "bundler/incremental/cached_bundles.h"
#include "bundler/incremental/earlier_build.h"
#include "bundler/incremental/recorded_files.h"
#include "bundler/pack/bundle_writer.h"
#include "bundler/pack/catalog_data.h"
#include "bundler/pack/staged_bundles.h"
#include "bundler/plan/bundle_plan.h"
#include "bundler/report/reporter.h"
#include "registry/base/clock.h"
#include "runtime/bundle/bundle_name.h"

namespace muster {

struct BuildOptions {
  TargetSet targets = TargetSet::both();
  Layout layout = Layout::shared;
  int level = kDefaultLevel;
  unsigned jobs = 1;
  SamplingRules sampling{};  ///< The rules for choosing the samples from which dictionaries are
                             ///< trained.
};

/// One packed bundle, for the report.
struct BuiltBundle {
  BundleName name;
  ContentHash hash;
  std::uint64_t file_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t source_bytes = 0;
  std::size_t planned = 0;  ///< The index in the plan.
  bool is_kept = false;     ///< True if the bundle was kept from an earlier build.
  bool is_cached = false;   ///< True if the bundle was found in a cache.
  /// The reasons why the bundle was packed; empty if it was kept.
  std::vector<BuildReason> reasons{};
  std::vector<CookFact> facts{};  ///< The dependencies of the bundle, sorted. Recorded only with
                                  ///< `BuildEdges::answers`.
  Duration elapsed{};             ///< The time to cook and pack the bundle.
};

struct AssetTiming {
  AssetNumber asset = kNoAsset;
  Duration duration{};
};

/// The result of a build of one target.
struct TargetBuild {
  Target target = Target::client;
  BundlePlan plan;
  /// The bundles: one per planned bundle, in the order of the plan.
  std::vector<BuiltBundle> bundles;
  /// The plain size of each asset of the project; 0 for an asset that is not packed.
  std::vector<std::uint64_t> plain_bytes_of;
  ContentHash fingerprint;  ///< The fingerprint of the catalog.
  std::uint64_t catalog_bytes = 0;
  /// The assets that took the most time to cook, the slowest first.
  std::vector<AssetTiming> slowest;
  /// The prefabs that had a bundle in the earlier build and have none now, with the reasons. Sorted
  /// by path.
  std::vector<BuildReason> gone{};
  std::vector<DictionaryData> dictionaries{};  ///< The dictionaries, sorted by kind.
  std::size_t reused_blocks = 0;               ///< The number of reused blocks of earlier builds.
  bool has_old_blocks = false;                 ///< The value of `StateTarget::has_old_blocks`.
};

struct BuildEdges {
  StagedBundles& output;  ///< The staged bundles of all targets, so that content of several targets
                          ///< is compressed once.
  Reporter& reporter;
  const Clock& clock;
  std::stop_token stop;
  /// The earlier build; null for a full build.
  const EarlierBuild* earlier = nullptr;
  /// The level and the dictionary of each entry. If null, all entries have the level of the
  /// options, and there are no dictionaries.
  const CompressionPlan* packing = nullptr;
  /// The settings of `packing`, in the form that the state records.
  const PackingTerms* terms = nullptr;
  /// Answers the questions that cooking asks. Questions and answers are recorded for the next
  /// build. The pointer is null if nothing is recorded.
  const CookAnswers* answers = nullptr;
  /// A cache with results of other builds; null for no cache. The cache is used only with `answers`
  /// and `inputs`.
  const CachedBundles* cache = nullptr;
  /// The measurements of the cache's server, which each target updates. The pointer is null if
  /// measurements are not stored.
  RaceExperience* cache_experience = nullptr;
  /// The files through which the project is read; null if changes during the build are not
  /// detected.
  const RecordedFiles* inputs = nullptr;
  /// True if the source of kept bundles may change while they are copied.
  bool is_earlier_shared = false;
  /// The program and the versions of its formats, as in `PackingTerms`.
  std::string tool{};
  /// The reason for packing every bundle. It is used if there is no earlier build.
  BuildReason reason{"first build", {}};
};

/// Plans, cooks, packs and stages one target. Equal projects and options give equal bytes, for any
/// `jobs`. Fails with `invalid_argument` if the layout is self-contained and the game would have to
/// choose a variant. Fails with `malformed` if an asset cannot be cooked; `problems` has all such
/// assets. Also fails with `cancelled`. If a file cannot be read or written, fails with the code of
/// that failure.
Result<TargetBuild> build_target(const Project& project, Target target,
                                 const std::vector<ComponentDescription>& components,
                                 const BuildOptions& options, const BuildEdges& edges,
                                 std::vector<CookProblem>& problems);

}  // namespace muster
