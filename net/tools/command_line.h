// The commands of `muster-net`.
#pragma once

#include <ostream>

namespace muster {

/// Runs `muster-net` with these arguments and returns its exit code. 0: success. 1: the capture is
/// damaged, or its replay differs. 2: the usage is wrong, or a file cannot be read or written. 3: a
/// bug.
int run_muster_net(int argc, char** argv, std::ostream& out, std::ostream& err);

}  // namespace muster
