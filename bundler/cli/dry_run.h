// `muster build --dry-run`.
#pragma once

#include "bundler/cli/build_arguments.h"
#include "bundler/plan/bundle_plan.h"
#include "registry/model/project.h"

namespace muster::cli {

/// Checks the arguments. A real build makes the same checks before it reads the project. Fails like
/// a real build if the output folder contains other files, or if the earlier build is missing.
/// Fails with `invalid_argument` for options that require a real build. Changes nothing.
Result<void> check_dry_run(const BuildArguments& arguments);

/// Prints the planned bundles. Returns the exit code.
int print_plan(const Project& project, const BuildArguments& arguments, TargetSet targets,
               Layout layout, unsigned jobs, Session& session);

}  // namespace muster::cli
