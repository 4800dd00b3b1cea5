// Trains how the lanes of one entity type are predicted: weights, partners and change partners.
#pragma once

#include <span>

#include "net/snapshot/snapshot_model.h"
#include "net/tools/training/samples.h"

namespace muster {

/// Sets, for every lane of `type`, the partners that help to predict it, its weights, and the lanes
/// that change together with it. `samples` are states of this type.
void train_lanes(TypeModel& type, std::span<const StateSample> samples);

}  // namespace muster
