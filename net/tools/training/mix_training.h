// Trains the corrections that the coder `mix` adds to probabilities.
#pragma once

#include <span>

#include "net/snapshot/snapshot_model.h"
#include "net/tools/training/train_model.h"

namespace muster {

/// Fills `model.mix`. Requires: all other parts of the model are trained.
void train_mix(SnapshotModel& model, std::span<const TrainingTrace> traces);

}  // namespace muster
