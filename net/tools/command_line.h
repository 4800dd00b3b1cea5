// The commands of `muster-net`.
#pragma once

#include <ostream>

namespace muster {

/// Runs `muster-net` with these arguments and returns its exit code: 0 for success; 1 if the
/// capture is damaged or its replay differs; 2 if the usage is wrong, or a file cannot be read or
/// written; 3 for an internal error.
int run_muster_net(int argc, char** argv, std::ostream& out, std::ostream& err);

}  // namespace muster
