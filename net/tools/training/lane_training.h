// Trains the predictions of the lanes of one entity type: weights, partners and change partners.
#pragma once

#include <span>

#include "net/snapshot/snapshot_model.h"
#include "net/tools/training/samples.h"

namespace muster {

/// For every lane of `type`, sets three things: the lanes that help to predict its value
/// (partners), its weights, and the lanes that help to predict whether it changes (change
/// partners). `samples` are states of this type.
void train_lanes(TypeModel& type, std::span<const StateSample> samples);

}  // namespace muster
