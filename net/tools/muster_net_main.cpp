// Passes the standard streams to `muster-net`.
#include <iostream>

#include "net/tools/command_line.h"

int main(int argc, char** argv) { return muster::run_muster_net(argc, argv, std::cout, std::cerr); }
