// A whole build: all requested targets, the report, and the state that makes the next build faster.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bundler/build/target_build.h"
#include "bundler/incremental/input_check.h"
#include "bundler/pack/output_folder.h"
#include "runtime/bundle/build_signature.h"

namespace muster {

/// Another output from which bundles and blocks are reused, for an output without a usable state.
struct PreviousOutput {
  const FileReader& files;
  const FileStamps& stamps;
};

class BuildMemory;

/// The inputs of a build. All of them outlive the build.
struct BuildRun {
  const Project& project;
  const std::vector<ComponentDescription>& components;
  BuildOptions options;
  std::string version;  ///< The version of muster, for the report.
  std::string tool;     ///< As in `PackingTerms`.
  std::optional<SigningKey> key{};
  OutputFolder& output;
  Reporter& reporter;
  const Clock& clock;
  std::stop_token stop{};
  /// The files through which the project was read; null if dependencies of bundles are not needed.
  const RecordedFiles* inputs = nullptr;
  /// The facts that made reading the project faster, to be stored for the next build; null for
  /// none.
  const BuildMemory* memory = nullptr;
  /// The stamps of the output's files; null for a build without a state. The build is incremental
  /// if this and `inputs` are set.
  const FileStamps* output_stamps = nullptr;
  /// Builds everything, even if it is up to date.
  bool is_forced = false;
  std::optional<PreviousOutput> previous{};
  /// Searched for bundles before they are cooked; null for none. Only with `inputs`.
  BuildCache* cache = nullptr;
};

/// Builds and stages everything; the caller publishes. Reuses bundles of an earlier build if
/// packing again would give the same bytes. Fails like `build_target`, and with `busy` if the
/// project changed during the build.
Result<std::vector<TargetBuild>> build_project(const BuildRun& run,
                                               std::vector<CookProblem>& problems);

/// The options of a build.
struct BuildWish {
  TargetSet targets = TargetSet::both();
  PackingTerms terms;
  std::optional<SigningKey> key{};
  std::vector<VariantWish> variants{};
};

/// An output that equals the result of a build.
struct UpToDate {
  BuildState state;  ///< Without its body, with the current stamps.
  InputCheck check;
};

/// Checks whether an output is up to date, without parsing the project. Nothing if the output must
/// be built, or if this is unknown.
std::optional<UpToDate> find_up_to_date(const FileReader& output, const FileStamps& output_stamps,
                                        const FileReader& project, const FileStamps& project_stamps,
                                        const BuildWish& wish, unsigned jobs);

/// Stores and publishes the new stamps of inputs with unchanged content, unless the output has
/// changed since `looked_at` was read. Requires: nothing else is staged, and the output's lock is
/// held.
Result<void> refresh_state(OutputFolder& output, const BuildState& looked_at);

}  // namespace muster
