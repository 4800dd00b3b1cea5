// One target's bundles and catalog.
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
  SamplingRules sampling{};  ///< Of what dictionaries are trained on.
};

/// One packed bundle, for the report.
struct BuiltBundle {
  BundleName name;
  ContentHash hash;
  std::uint64_t file_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t source_bytes = 0;
  std::size_t planned = 0;             ///< Index into the plan.
  bool is_kept = false;                ///< An earlier build's, taken over as it is.
  bool is_cached = false;              ///< Found in a cache.
  std::vector<BuildReason> reasons{};  ///< Why it was packed; none when it was kept.
  std::vector<CookFact> facts{};       ///< What it depends on; sorted. Only where somebody asks.
  Duration taken{};                    ///< To cook and pack it.
};

struct AssetTiming {
  AssetNumber asset = kNoAsset;
  Duration duration{};
};

/// What was built for one target.
struct TargetBuild {
  Target target = Target::client;
  BundlePlan plan;
  std::vector<BuiltBundle> bundles;           ///< One per planned bundle, in the plan's order.
  std::vector<std::uint64_t> plain_bytes_of;  ///< Per asset of the project; 0 for unpacked ones.
  ContentHash fingerprint;                    ///< Of the catalog.
  std::uint64_t catalog_bytes = 0;
  std::vector<AssetTiming> slowest;  ///< The slowest to cook, slowest first.
  /// Prefabs that had a bundle in the earlier build and have none now: paths, and why. Sorted.
  std::vector<BuildReason> gone{};
  std::vector<DictionaryData> dictionaries{};  ///< Sorted by kind.
  std::size_t reused_blocks = 0;  ///< Of earlier builds, put into bundles that were packed.
  bool has_old_blocks = false;    ///< As `StateTarget` has it.
};

struct BuildEdges {
  StagedBundles& output;  ///< One for all targets: what they share is compressed once.
  Reporter& reporter;
  const Clock& clock;
  std::stop_token stop;
  /// What an earlier build has left, and what it was told; null for a build from nothing.
  const EarlierBuild* earlier = nullptr;
  /// How entries are compressed; null for the options' level and no dictionaries.
  const CompressionPlan* packing = nullptr;
  /// What that means to earlier builds.
  const PackingTerms* terms = nullptr;
  /// Answers what cooked bundles depend on, for the next build; null when nobody wants to know.
  const CookAnswers* answers = nullptr;
  /// Where other builds may have left what this one needs; null for nowhere. Only with `answers`
  /// and `inputs`.
  const CachedBundles* cache = nullptr;
  /// What is known of the cache's server; each target adds to it. Null when nothing is kept.
  RaceExperience* cache_experience = nullptr;
  /// What the project is read through; null when nobody wants to know whether it changes meanwhile.
  const RecordedFiles* inputs = nullptr;
  /// Where kept bundles come from may change while they are copied.
  bool is_earlier_shared = false;
  /// Of the program, as `PackingTerms` has it.
  std::string tool{};
  /// Why every bundle is packed, where there is no earlier build.
  BuildReason reason{"first build", {}};
};

/// Plans, cooks, packs and stages everything of one target. Equal projects and options give equal
/// bytes, whatever `jobs`. Fails with `invalid_argument` for a self-contained layout of what leaves
/// a choice to the game, with `malformed` when an asset cannot be cooked (all such assets
/// are in `problems`), with `cancelled`, or as the disk fails.
Result<TargetBuild> build_target(const Project& project, Target target,
                                 const std::vector<ComponentDescription>& components,
                                 const BuildOptions& options, const BuildEdges& edges,
                                 std::vector<CookProblem>& problems);

}  // namespace muster
