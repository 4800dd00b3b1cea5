// The end of a state's body: facts about files and assets. The format is
// bundler/incremental/STATE_FORMAT.md.
#pragma once

#include "bundler/incremental/build_state.h"
#include "bundler/incremental/state_reader.h"

namespace muster {

void write_facts(ByteWriter& out, const BuildState& state);
/// Requires: the rest of the state was read. Every irregularity makes the reader fail.
void read_facts(StateReader& in, BuildState& state);

}  // namespace muster
