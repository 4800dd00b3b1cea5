// Trains models with a maximum file size.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "net/snapshot/snapshot_model.h"
#include "net/tools/training/train_model.h"

namespace muster {

/// The maximum size of a model file for all coders except `mix`. A game has its model in memory and
/// in its bundles. A server sends the model only to a client that lacks it.
inline constexpr std::size_t kRangeModelBytesMax = 64U * 1024U;
/// The maximum size of a model file for all coders.
inline constexpr std::size_t kMixModelBytesMax = 1024U * 1024U;

struct BoundedModel {
  SnapshotModel model;
  std::vector<std::byte> file;
  std::size_t lanes_left_out = 0;  ///< The number of lanes that were left out; see `leave_out`.
  std::size_t lane_count = 0;
};

/// Trains a model whose file has at most `bytes_max` bytes: for all coders, or for all coders
/// except `mix`. If the file would be larger, leaves out the lanes with the smallest gain, about as
/// many as needed. The same traces give the same model. Returns nothing if the file is too large
/// even with all lanes left out.
std::optional<BoundedModel> train_bounded(std::span<const TrainingTrace> traces, bool is_for_mix,
                                          std::size_t bytes_max);

}  // namespace muster
