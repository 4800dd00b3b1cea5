// Checks of a project that several commands use.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "bundler/cli/session.h"
#include "registry/project/variant_axes.h"
#include "registry/rules/validate.h"

namespace muster::cli {

/// The checks that `registry/rules` cannot do: the values of components, and committed
/// dictionaries. `components` is null if the descriptions cannot be read, which is reported
/// separately. `components` must outlive the result.
FurtherCheck checks_of_packing(const std::vector<ComponentDescription>* components, unsigned jobs);

/// The minimum severity of a finding that makes a command fail.
Severity failing_severity(bool is_strict, const std::string& fail_on);

/// Parses the options `--variant`. Fails with `invalid_argument`.
Result<std::vector<VariantWish>> read_variants(const std::vector<std::string>& options);

/// Adds the findings that block only builds for certain variants to `findings`, which contains the
/// findings of the whole project. If `wishes` is not empty, checks the build for these wishes.
/// Otherwise checks the build for the default choice, and one build for each variant file that is
/// chosen at build time. A combination of several variant files is checked only if `wishes`
/// requests the combination. Fails for wishes that the project does not support. Also fails like
/// `Project::open`.
Result<std::vector<Finding>> with_findings_of_choices(const Project& project,
                                                      const std::vector<VariantWish>& wishes,
                                                      const ValidateOptions& options,
                                                      std::vector<Finding> findings,
                                                      const std::stop_token& stop);

}  // namespace muster::cli
