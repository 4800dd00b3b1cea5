// The commands of `muster-net`.
#pragma once

#include <ostream>

namespace muster {

/// Runs `muster-net` with these arguments and returns its exit code: 0 success, 1 a capture that is
/// damaged or whose replay differs, 2 wrong usage, or a file that cannot be read or written, 3 a
/// bug.
int run_muster_net(int argc, char** argv, std::ostream& out, std::ostream& err);

}  // namespace muster
