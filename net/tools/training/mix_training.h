// Trains the corrections of the mixing coder.
#pragma once

#include <span>

#include "net/snapshot/snapshot_model.h"
#include "net/tools/training/train_model.h"

namespace muster {

/// Fills `model.mix`. Requires: everything else of the model is trained.
void train_mix(SnapshotModel& model, std::span<const TrainingTrace> traces);

}  // namespace muster
