// Trains the lengths of Huffman codes.
#pragma once

#include <span>

#include "net/snapshot/snapshot_model.h"
#include "net/tools/training/train_model.h"

namespace muster {

/// Fills `model.huffman` from the symbols that the coders `huffman` and `reference` would send.
/// Requires: all other parts of the model are trained.
void train_huffman(SnapshotModel& model, std::span<const TrainingTrace> traces);

}  // namespace muster
