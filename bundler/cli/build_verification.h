// Verifies that a build equals one from nothing, in any order of work.
#pragma once

#include "bundler/build/incremental_build.h"
#include "bundler/cli/build_arguments.h"

namespace muster::cli {

/// Builds again, from nothing and without output, for `--verify-incremental` and
/// `--verify-determinism`. The first compares such a build with the output; the second compares two
/// such builds, one with folders in another order and another number of threads. Reports the
/// differences. Returns the exit code. Requires: the output has just been built for `wish`.
int verify_build(const BuildArguments& arguments, const BuildWish& wish, unsigned jobs,
                 Session& session);

}  // namespace muster::cli
