// Checks of a project that several commands use.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "bundler/cli/session.h"
#include "registry/project/variant_axes.h"
#include "registry/rules/validate.h"

namespace muster::cli {

/// The checks of later layers: values of components, and committed dictionaries. `components` is
/// null if the descriptions cannot be read, which has its own finding. Refers to `components`.
FurtherCheck checks_of_packing(const std::vector<ComponentDescription>* components, unsigned jobs);

/// The minimum severity of findings with which a command fails.
Severity failing_severity(bool is_strict, const std::string& fail_on);

/// Parses the options `--variant`. Fails with `invalid_argument`.
Result<std::vector<VariantWish>> read_variants(const std::vector<std::string>& options);

/// Adds the findings that block only builds for certain variants: those in the wishes, or without
/// wishes the default choice and the choice of each variant's file. Combinations of several such
/// files require a wish. `findings` are those of the unchanged project. Fails for wishes that the
/// project does not support, and like `Project::open`.
Result<std::vector<Finding>> with_findings_of_choices(const Project& project,
                                                      const std::vector<VariantWish>& wishes,
                                                      const ValidateOptions& options,
                                                      std::vector<Finding> findings,
                                                      const std::stop_token& stop);

}  // namespace muster::cli
