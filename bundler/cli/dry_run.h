// `muster build --dry-run`.
#pragma once

#include "bundler/cli/build_arguments.h"
#include "bundler/plan/bundle_plan.h"
#include "registry/model/registry_model.h"

namespace muster::cli {

/// Fails like a build with these arguments before it reads the project or begins to write: for an
/// output with other content, or a missing earlier build. Fails with `invalid_argument` for options
/// that require a real build. Changes nothing.
Result<void> check_dry_run(const BuildArguments& arguments);

/// Prints the planned bundles. Returns the exit code.
int print_plan(const Project& project, const BuildArguments& arguments, TargetSet targets,
               Layout layout, unsigned jobs, Session& session);

}  // namespace muster::cli
