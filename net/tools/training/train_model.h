// Trains a model from traces.
#pragma once

#include <span>

#include "net/snapshot/snapshot_model.h"
#include "net/tools/training/samples.h"

namespace muster {

/// A trace and its samples.
struct TrainingTrace {
  const Trace* trace = nullptr;
  std::vector<StateSample> samples;
};

/// Trains a model on traces of one game. The model has the types of the first trace.
SnapshotModel train_model(std::span<const TrainingTrace> traces);

/// Identifies a lane of a model.
struct LaneIndex {
  CodecType type{};
  std::size_t lane = 0;
};
/// Removes the trained data of some lanes from a model. The model then predicts that these lanes
/// stay constant, and uses the common probabilities of their kind. The probabilities of all other
/// lanes are trained again.
void leave_out(SnapshotModel& model, std::span<const TrainingTrace> traces,
               std::span<const LaneIndex> lanes);

/// The common probabilities of the lanes of all games. An untrained model uses them.
struct CommonPriors {
  SizeWeights size_weights{};
  /// Probability steps (`probability_scale.h`) of symbols, ticks, numbers, and entities.
  std::array<std::vector<std::uint8_t>, 4> steps;
};
/// Trains common probabilities on traces of several games, with the predictions of
/// `untrained_model`.
CommonPriors common_priors(std::span<const TrainingTrace> traces);

}  // namespace muster
