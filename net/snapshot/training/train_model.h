// Priors from traces.
#pragma once

#include <span>

#include "net/snapshot/snapshot_model.h"
#include "net/snapshot/training/samples.h"

namespace muster {

/// A trace and the samples taken from it.
struct TrainingTrace {
  const Trace* trace = nullptr;
  std::vector<StateSample> samples;
};

/// Trains a model on traces of one game (their types are those of the first).
SnapshotModel train_model(std::span<const TrainingTrace> traces);

/// What holds for lanes of any game: how sure a model is that knows nothing of it.
struct CommonPriors {
  SizeWeights size_weights{};
  /// Steps of probabilities (`probability_scale.h`): of symbols, ticks, numbers, and entities.
  std::array<std::vector<std::uint8_t>, 4> steps;
};
/// Learns from traces of several games, predicting as `untrained_model` does.
CommonPriors common_priors(std::span<const TrainingTrace> traces);

}  // namespace muster
