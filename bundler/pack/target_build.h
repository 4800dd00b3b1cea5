// One target's bundles and catalog.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "bundler/cook/asset_cooker.h"
#include "bundler/pack/bundle_writer.h"
#include "bundler/pack/staged_bundles.h"
#include "bundler/plan/bundle_plan.h"
#include "bundler/report/reporter.h"
#include "registry/vocabulary/clock.h"
#include "runtime/bundle/bundle_name.h"

namespace muster {

struct BuildOptions {
  TargetSet targets = TargetSet::both();
  Layout layout = Layout::shared;
  int level = kDefaultLevel;
  unsigned jobs = 1;
};

/// One packed bundle, for the report.
struct BuiltBundle {
  BundleName name;
  ContentHash hash;
  std::uint64_t file_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t source_bytes = 0;
  std::size_t planned = 0;  ///< Index into the plan.
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
};

struct BuildEdges {
  StagedBundles& output;  ///< One for all targets: what they share is compressed once.
  Reporter& reporter;
  const Clock& clock;
  std::stop_token stop;
};

/// The target's folder in the output, which holds its catalog under this name.
inline std::string_view folder_of(Target target) {
  return target == Target::client ? "client" : "server";
}
inline constexpr std::string_view kCatalogName = "catalog.mcat";

/// Plans, cooks, packs and stages everything of one target. Equal projects and options give equal
/// bytes, whatever `jobs`. Fails with `malformed` when an asset cannot be cooked (all such assets
/// are in `problems`), with `cancelled`, or as the disk fails.
Result<TargetBuild> build_target(const Project& project, Target target,
                                 const std::vector<ComponentDescription>& components,
                                 const BuildOptions& options, const BuildEdges& edges,
                                 std::vector<CookProblem>& problems);

}  // namespace muster
