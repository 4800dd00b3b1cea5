// The end of a state's body: what is known of files and assets. The format is
// bundler/pack/README.md, "The state of a build".
#pragma once

#include "bundler/pack/build_state.h"
#include "bundler/pack/state_reader.h"

namespace muster {

void write_facts(ByteWriter& out, const BuildState& state);
/// Requires: the rest of the state was read. Whatever is odd makes the reader fail.
void read_facts(StateReader& in, BuildState& state);

}  // namespace muster
