// Converts a trained model for types that differ slightly from the trained types. Models are
// trained on recordings, which contain every field, but clients receive only some fields. A game's
// types also change over time.
#pragma once

#include <span>
#include <string>

#include "net/snapshot/snapshot_model.h"

namespace muster {

/// Copies the training of the type named `sources[i]` into type i of the untrained `model`: the
/// data of all lanes with the same name, kind and range. Both ends of a connection call this
/// function with the same models, and get equal results. See SNAPSHOT_FORMAT.md, "A model for other
/// types". Requires: `sources` has one name for each type of `model`.
void adopt(const SnapshotModel& trained, std::span<const std::string> sources,
           SnapshotModel& model);

}  // namespace muster
