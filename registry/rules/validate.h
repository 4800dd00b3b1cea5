// All rules over one project.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "registry/rules/finding.h"

namespace muster {

/// A check by a later room, of what is built: the rules know nothing of cooking.
using FurtherCheck =
    std::function<void(const Project& project, const std::set<AssetNumber>& built, Findings&)>;

struct ValidateOptions {
  TargetSet targets = TargetSet::both();
  bool strict = false;  ///< Warnings become errors.
  unsigned jobs = 1;    ///< Threads that parse what is built.
  /// Looks for keys of sidecars that nothing reads. A build does not: they change nothing of it,
  /// and it opens only files that have changed.
  bool with_sidecars = true;
  Progress progress = {};
  FurtherCheck further = {};
};

/// Checks a project against every rule and returns all findings, sorted. Reads files of the
/// project; changes nothing.
std::vector<Finding> validate(const Project& project, const ValidateOptions& options);

/// The rule that tells of a file that could not be read.
std::string_view read_error_rule(const Error& error);

/// What is built for any of `targets`: the registries and roots, what they name, and all that these
/// contain.
std::set<AssetNumber> built_assets(const Project& project, TargetSet targets);

/// The parts of `validate`, by subject; each adds what it finds.
void check_files(const Project& project, TargetSet targets, const std::set<AssetNumber>& built,
                 Findings& findings);
/// What the other parts wanted to read and could not: comes after them.
void check_failed_reads(const Project& project, Findings& findings);
void check_roots(const Project& project, TargetSet targets, Findings& findings);
void check_registries(const Project& project, TargetSet targets, Findings& findings);
void check_entries(const Project& project, const Registry& registry, Findings& findings);
void check_registration(const Project& project, TargetSet targets, Findings& findings);
/// What plain prefabs and factories say of components; of what is not built too, but that blocks
/// no build.
void check_components(const Project& project, const std::set<AssetNumber>& built,
                      Findings& findings);
/// The keys and shapes of plain files of ours: prefabs, factories, registries, roots, definitions.
void check_structure(const Project& project, bool with_sidecars, Findings& findings);
void check_references(const Project& project, TargetSet targets, Findings& findings);
/// References into packages that are not in the project, a line for each package.
void check_packages(const Project& project, const std::set<AssetNumber>& built, Findings& findings);
void check_keep(const Project& project, TargetSet targets, Findings& findings);
void check_variants(const Project& project, const std::set<AssetNumber>& built, Findings& findings);
/// Whether each variant is replicated as what it varies is: on the two ends of a connection another
/// one may be chosen.
void check_wire_forms(const Project& project, const std::set<AssetNumber>& built,
                      Findings& findings);
void check_packing(const Project& project, const std::set<AssetNumber>& built, unsigned jobs,
                   Findings& findings);

}  // namespace muster
