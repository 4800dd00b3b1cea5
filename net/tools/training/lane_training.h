// How the lanes of one type of entities are best predicted: weights, partners, neighbours.
#pragma once

#include <span>

#include "net/snapshot/snapshot_model.h"
#include "net/tools/training/samples.h"

namespace muster {

/// Fills in, for every lane of `type`, the partners that help to predict it, its weights, and the
/// lanes whose change goes with its own. `samples` are states of this type.
void train_lanes(TypeModel& type, std::span<const StateSample> samples);

}  // namespace muster
