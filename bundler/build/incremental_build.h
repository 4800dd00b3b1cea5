// Makes a whole build: all requested targets, the report, and the state that makes the next build
// faster.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bundler/build/target_build.h"
#include "bundler/incremental/input_check.h"
#include "bundler/pack/output_folder.h"
#include "runtime/bundle/build_signature.h"

namespace muster {

/// Another output. If a build's own output has no usable state, the build reuses bundles and blocks
/// of this output.
struct PreviousOutput {
  const FileReader& files;
  const FileStamps& stamps;
};

class BuildFactCache;

/// The inputs of a build. All references and pointers must be valid until the build ends.
struct BuildRun {
  const Project& project;
  const std::vector<ComponentDescription>& components;
  BuildOptions options;
  std::string version;  ///< The version of muster, for the report.
  std::string tool;     ///< The program and the versions of its formats, as in `PackingTerms`.
  std::optional<SigningKey> key{};
  OutputFolder& output;
  Reporter& reporter;
  const Clock& clock;
  std::stop_token stop{};
  /// The files through which the project was read; null if the dependencies of bundles are not
  /// recorded.
  const RecordedFiles* inputs = nullptr;
  /// The facts to store for the next build; null to store no facts.
  const BuildFactCache* fact_cache = nullptr;
  /// The stamps of the output's files; null for a build without a state. The build is incremental
  /// if this member and `inputs` are set.
  const FileStamps* output_stamps = nullptr;
  /// If true, builds everything, even if the output is up to date.
  bool is_forced = false;
  std::optional<PreviousOutput> previous{};
  /// The cache that is searched for bundles before they are cooked; null for no cache. The cache is
  /// used only with `inputs`.
  BuildCache* cache = nullptr;
};

/// Builds and stages all files of the output. The caller then publishes them. Reuses a bundle of an
/// earlier build if packing the bundle again would give the same bytes. Fails like `build_target`,
/// and with `busy` if the project changed during the build.
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
  BuildState state;  ///< The state without its body, with the current stamps.
  InputCheck check;
};

/// Checks whether an output is up to date, and does not parse the project. Returns no value if the
/// output must be built, or if the check is not possible.
std::optional<UpToDate> find_up_to_date(const FileReader& output, const FileStamps& output_stamps,
                                        const FileReader& project, const FileStamps& project_stamps,
                                        const BuildWish& wish, unsigned jobs);

/// Stores and publishes the new stamps of unchanged inputs, unless the output has changed since
/// `checked_state` was read. Requires: nothing else is staged, and the caller holds the lock of the
/// output.
Result<void> refresh_state(OutputFolder& output, const BuildState& checked_state);

}  // namespace muster
