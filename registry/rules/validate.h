// Runs all rules on one project.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "registry/model/project.h"
#include "registry/rules/finding.h"

namespace muster {

/// An additional check of built assets. The bundler adds the checks that need its cooker.
using FurtherCheck =
    std::function<void(const Project& project, const std::set<AssetNumber>& built, Findings&)>;

struct ValidateOptions {
  TargetSet targets = TargetSet::both();
  bool strict = false;  ///< Warnings become errors.
  unsigned jobs = 1;    ///< The number of threads that parse built assets.
  /// Whether to search sidecars for keys that Muster does not read. A build passes false, because
  /// such keys do not affect a build, and because a build opens only changed files.
  bool with_sidecars = true;
  Progress progress = {};
  FurtherCheck further = {};
};

/// Checks a project with all rules and returns all findings, sorted. Changes no file.
std::vector<Finding> validate(const Project& project, const ValidateOptions& options);

/// The rule that reports a file that could not be read.
std::string_view read_error_rule(const Error& error);

/// The assets that are built for any of `targets`: registries, roots, the assets that registries
/// name, and all assets to which these assets refer, directly or indirectly.
std::set<AssetNumber> built_assets(const Project& project, TargetSet targets);

/// The parts of `validate`. Each part adds the findings for one subject.
void check_files(const Project& project, TargetSet targets, const std::set<AssetNumber>& built,
                 Findings& findings);
/// Reports the files that the other parts could not read. Call this function after the other parts.
void check_failed_reads(const Project& project, Findings& findings);
void check_roots(const Project& project, TargetSet targets, Findings& findings);
void check_registries(const Project& project, TargetSet targets, Findings& findings);
void check_entries(const Project& project, const Registry& registry, Findings& findings);
void check_registration(const Project& project, TargetSet targets, Findings& findings);
/// Checks the components of plain prefabs and factories. Findings in assets that are not built do
/// not block a build.
void check_components(const Project& project, const std::set<AssetNumber>& built,
                      Findings& findings);
/// Checks the keys and the structure of plain files: prefabs, factories, registries, roots and
/// definitions.
void check_structure(const Project& project, bool with_sidecars, Findings& findings);
void check_references(const Project& project, TargetSet targets, Findings& findings);
/// Checks references into packages that are not in the project. Reports one finding per package.
void check_packages(const Project& project, const std::set<AssetNumber>& built, Findings& findings);
void check_keep(const Project& project, TargetSet targets, Findings& findings);
void check_variants(const Project& project, const std::set<AssetNumber>& built, Findings& findings);
/// Checks that each variant is replicated like its base, because the two ends of a connection may
/// choose different variants.
void check_wire_forms(const Project& project, const std::set<AssetNumber>& built,
                      Findings& findings);
/// Checks that replicated prefabs stay within the limits of `registry/base/wire_limits.h`.
void check_wire_limits(const Project& project, const std::set<AssetNumber>& built,
                       Findings& findings);
void check_packing(const Project& project, const std::set<AssetNumber>& built, unsigned jobs,
                   Findings& findings);

}  // namespace muster
