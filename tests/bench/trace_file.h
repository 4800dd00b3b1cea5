// Traces and scene descriptions from the disk.
#pragma once

#include <string>

#include "net/tools/training/trace.h"
#include "registry/base/bytes.h"
#include "registry/base/result.h"
#include "tests/bench/packed_file.h"

namespace muster {

/// Reads a trace, packed with zstd or not, and the description `SCENES/NAME.json` of the scene
/// whose name stands in it; without one, fields mean only what the trace's header says. Or a
/// recording, which says itself what its fields mean.
Result<Trace> load_trace(const std::string& path, const std::string& scenes);

}  // namespace muster
