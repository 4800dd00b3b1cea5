// Recordings of worlds (`RecordingWriter`) as traces: a game's own traffic to learn from.
#pragma once

#include <string>

#include "net/tools/training/trace.h"
#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

/// Whether a file begins as a recording does.
bool is_recording(Bytes bytes);

/// Plays a recording and notes the world at every tick; its types are called as replication calls
/// them, so that a model learnt from the trace serves the game. `name` is what a message calls it.
Result<Trace> trace_of_recording(Bytes bytes, const std::string& name);

}  // namespace muster
