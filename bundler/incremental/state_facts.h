// Encodes and decodes the end of a state's body: the facts about files and assets.
// bundler/incremental/STATE_FORMAT.md defines the format.
#pragma once

#include "bundler/incremental/build_state.h"
#include "bundler/incremental/state_reader.h"

namespace muster {

void write_facts(ByteWriter& out, const BuildState& state);
/// Reads the facts. Invalid bytes make the reader fail. Requires: all other parts of the state were
/// read.
void read_facts(StateReader& in, BuildState& state);

}  // namespace muster
