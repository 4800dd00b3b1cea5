// Traces and scene descriptions from the disk.
#pragma once

#include <string>

#include "net/snapshot/training/trace.h"
#include "registry/vocabulary/bytes.h"
#include "registry/vocabulary/result.h"

namespace muster {

/// Reads a file as a whole.
Result<ByteVector> read_file(const std::string& path);
/// The same, unpacked when its name ends in `.zst`.
Result<ByteVector> read_unpacked(const std::string& path);
/// Writes a file, whole or not at all.
Result<void> write_file(const std::string& path, Bytes bytes);

/// Reads a trace, packed with zstd or not, and the description `SCENES/NAME.json` of the scene
/// whose name stands in it; without one, fields mean only what the trace's header says. Or a
/// recording, which says itself what its fields mean.
Result<Trace> load_trace(const std::string& path, const std::string& scenes);

}  // namespace muster
