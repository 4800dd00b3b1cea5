// Uses a model that was trained on one schema for a similar one: recordings have every field,
// clients see some of them, and games change.
#pragma once

#include <span>
#include <string>

#include "net/snapshot/snapshot_model.h"

namespace muster {

/// Copies trained data of lanes from the types named in `sources` into the untrained `model`, the
/// i-th source into its i-th type, where lanes have the same name, kind and range. Both ends of a
/// connection do this with the same models and get equal results. SNAPSHOT_FORMAT.md, "A model for
/// other types". Requires: as many sources as the model has types.
void adopt(const SnapshotModel& trained, std::span<const std::string> sources,
           SnapshotModel& model);

}  // namespace muster
