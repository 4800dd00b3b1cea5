// Priors from traces.
#pragma once

#include <span>

#include "net/snapshot/snapshot_model.h"
#include "net/tools/training/samples.h"

namespace muster {

/// A trace and the samples taken from it.
struct TrainingTrace {
  const Trace* trace = nullptr;
  std::vector<StateSample> samples;
};

/// Trains a model on traces of one game (their types are those of the first).
SnapshotModel train_model(std::span<const TrainingTrace> traces);

/// One lane of a model's types.
struct LanePlace {
  std::size_t type = 0;
  std::size_t lane = 0;
};
/// Makes lanes of a trained model forget what is their own: they are expected to stay, with the
/// probabilities of all lanes of their kind. Those of the other lanes are learnt anew.
void leave_out(SnapshotModel& model, std::span<const TrainingTrace> traces,
               std::span<const LanePlace> lanes);

/// What holds for lanes of any game: how sure a model is that knows nothing of it.
struct CommonPriors {
  SizeWeights size_weights{};
  /// Steps of probabilities (`probability_scale.h`): of symbols, ticks, numbers, and entities.
  std::array<std::vector<std::uint8_t>, 4> steps;
};
/// Learns from traces of several games, predicting as `untrained_model` does.
CommonPriors common_priors(std::span<const TrainingTrace> traces);

}  // namespace muster
