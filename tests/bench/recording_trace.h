// Converts recordings of worlds (`RecordingWriter`) to traces, so that a model can be trained on a
// game's own traffic.
#pragma once

#include <string>

#include "net/tools/training/trace.h"
#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

/// True if a file begins like a recording.
bool is_recording(Bytes bytes);

/// Plays a recording and records the world at every tick. Types have the same names as in
/// replication, so that the game can use a model that was trained on the trace. `name` is the
/// file's name in messages.
Result<Trace> trace_of_recording(Bytes bytes, const std::string& name);

}  // namespace muster
