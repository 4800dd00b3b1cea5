// Traces and scene descriptions from the disk.
#pragma once

#include <string>

#include "net/tools/training/trace.h"
#include "registry/base/bytes.h"
#include "registry/base/result.h"
#include "tests/bench/packed_file.h"

namespace muster {

/// Reads a trace, which may be compressed with zstd, and the description `SCENES/NAME.json` of the
/// scene that the trace names. Without a description, fields have the meaning in the trace's
/// header. Also reads a recording, which describes its own fields.
Result<Trace> load_trace(const std::string& path, const std::string& scenes);

}  // namespace muster
