// What was learnt of one schema, used for another that is nearly the same: recordings have every
// field, clients see some of them, and games change.
#pragma once

#include <span>
#include <string>

#include "net/snapshot/snapshot_model.h"

namespace muster {

/// Takes what is known of the lanes of the types called `sources` into those of the untrained
/// `model`, the i-th for its i-th type, where lanes have the same name, kind and range. Both ends
/// of a connection do this with the same models and get the same one. SNAPSHOT_FORMAT.md, "A model
/// for other types". Requires: as many sources as the model has types.
void adopt(const SnapshotModel& trained, std::span<const std::string> sources,
           SnapshotModel& model);

}  // namespace muster
