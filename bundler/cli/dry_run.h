// `muster build --dry-run`.
#pragma once

#include "bundler/cli/build_arguments.h"
#include "bundler/plan/bundle_plan.h"
#include "registry/model/registry_model.h"

namespace muster::cli {

/// Fails as a build with these arguments would before it reads the project, or begins to write:
/// for an output that holds something else, or an earlier build that is not there. Fails with
/// `invalid_argument` for what only a build can do. Changes nothing.
Result<void> check_dry_run(const BuildArguments& arguments);

/// Prints what a build would have, bundle by bundle. Returns the exit code.
int print_plan(const Project& project, const BuildArguments& arguments, TargetSet targets,
               Layout layout, unsigned jobs, Session& session);

}  // namespace muster::cli
