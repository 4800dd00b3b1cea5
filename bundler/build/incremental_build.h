// A whole build: every target asked for, the report, and the state that lets the next build do
// less.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bundler/build/target_build.h"
#include "bundler/incremental/input_check.h"
#include "bundler/pack/output_folder.h"
#include "runtime/bundle/build_signature.h"

namespace muster {

/// Another output to take bundles and blocks from: for an output that remembers nothing itself.
struct PreviousOutput {
  const FileReader& files;
  const FileStamps& stamps;
};

class BuildMemory;

/// What a build works on. All of it outlives the build.
struct BuildRun {
  const Project& project;
  const std::vector<ComponentDescription>& components;
  BuildOptions options;
  std::string version;  ///< Of muster, for the report.
  std::string tool;     ///< As `PackingTerms` has it.
  std::optional<SigningKey> key{};
  OutputFolder& output;
  Reporter& reporter;
  const Clock& clock;
  std::stop_token stop{};
  /// What the project was read through; null when nobody asks what bundles depend on.
  const RecordedFiles* inputs = nullptr;
  /// What spared reading the project, to be left for the next build; null for none.
  const BuildMemory* memory = nullptr;
  /// Of the output's files; null for a build that leaves no state. Both make it incremental.
  const FileStamps* output_stamps = nullptr;
  /// Builds everything, whatever is there.
  bool is_forced = false;
  std::optional<PreviousOutput> previous{};
  /// Asked for bundles before they are cooked; null for none. Only with `inputs`.
  BuildCache* cache = nullptr;
};

/// Builds and stages everything, and leaves publishing to the caller. Bundles that an earlier build
/// has left and that would come out the same are taken over. Fails as `build_target` does,
/// and with `busy` when the project changed meanwhile.
Result<std::vector<TargetBuild>> build_project(const BuildRun& run,
                                               std::vector<CookProblem>& problems);

/// What a build is asked for.
struct BuildWish {
  TargetSet targets = TargetSet::both();
  PackingTerms terms;
  std::optional<SigningKey> key{};
  std::vector<VariantWish> variants{};
};

/// An output that is what a build would make.
struct UpToDate {
  BuildState state;  ///< Without its body, with the stamps of now.
  InputCheck check;
};

/// Looks whether there is anything to do, without reading the project. Nothing when there is, or
/// when it cannot be told.
std::optional<UpToDate> find_up_to_date(const FileReader& output, const FileStamps& output_stamps,
                                        const FileReader& project, const FileStamps& project_stamps,
                                        const BuildWish& wish, unsigned jobs);

/// Keeps new stamps of inputs whose content has not changed, and publishes them, unless the output
/// is another one by now. Requires: nothing else is staged, and the output's lock is held.
Result<void> refresh_state(OutputFolder& output, const BuildState& looked_at);

}  // namespace muster
