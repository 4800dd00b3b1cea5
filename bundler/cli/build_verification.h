// Whether a build is what it should be: the same as one from nothing, however that is made.
#pragma once

#include "bundler/build/incremental_build.h"
#include "bundler/cli/build_arguments.h"

namespace muster::cli {

/// Builds again, from nothing and into nothing, and compares as `--verify-incremental` and
/// `--verify-determinism` ask: with the output; and two such builds with each other, the second
/// with folders in another order and another number of threads. Tells what differs. Returns the
/// exit code. Requires: the output has just been built as `wish` says.
int verify_build(const BuildArguments& arguments, const BuildWish& wish, unsigned jobs,
                 Session& session);

}  // namespace muster::cli
