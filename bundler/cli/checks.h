// The checks of a project that more than one command makes.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "bundler/cli/session.h"
#include "registry/project/variant_axes.h"
#include "registry/rules/validate.h"

namespace muster::cli {

/// The checks of later rooms: values of components, and dictionaries that the project keeps.
/// `components` null: their descriptions cannot be read, which has a finding of its own. Refers to
/// it.
FurtherCheck checks_of_packing(const std::vector<ComponentDescription>* components, unsigned jobs);

/// The least severity of findings that makes a command fail.
Severity failing_severity(bool is_strict, const std::string& fail_on);

/// What the options `--variant` wish for. Fails with `invalid_argument`.
Result<std::vector<VariantWish>> read_variants(const std::vector<std::string>& options);

/// Adds what a build refuses only because it is made for certain variants: for those that are
/// wished for, or without wishes for what builds choose by themselves and for what each variant's
/// file is chosen for at build. What several of these files make of a project together, a wish
/// tells. `findings` are those of the project as it lies there. Fails for wishes that the project
/// does not have, and as `Project::open` does.
Result<std::vector<Finding>> with_findings_of_choices(const Project& project,
                                                      const std::vector<VariantWish>& wishes,
                                                      const ValidateOptions& options,
                                                      std::vector<Finding> findings,
                                                      const std::stop_token& stop);

}  // namespace muster::cli
