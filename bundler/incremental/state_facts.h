// The end of a state's body: what is known of files and assets. The format is
// bundler/incremental/STATE_FORMAT.md.
#pragma once

#include "bundler/incremental/build_state.h"
#include "bundler/incremental/state_reader.h"

namespace muster {

void write_facts(ByteWriter& out, const BuildState& state);
/// Requires: the rest of the state was read. Whatever is odd makes the reader fail.
void read_facts(StateReader& in, BuildState& state);

}  // namespace muster
