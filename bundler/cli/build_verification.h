// Verifies that an incremental build equals a full build, and that the order of work has no effect.
#pragma once

#include "bundler/build/incremental_build.h"
#include "bundler/cli/build_arguments.h"

namespace muster::cli {

/// Builds everything again, without an earlier build and without publishing. `--verify-incremental`
/// compares this build with the output. `--verify-determinism` compares two such builds; the second
/// build uses another order of folders and another number of threads. Reports the differences and
/// returns the exit code. Requires: the output has just been built for `wish`.
int verify_build(const BuildArguments& arguments, const BuildWish& wish, unsigned jobs,
                 Session& session);

}  // namespace muster::cli
