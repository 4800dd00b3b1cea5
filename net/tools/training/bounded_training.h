// Trains models with a maximum file size.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "net/snapshot/snapshot_model.h"
#include "net/tools/training/train_model.h"

namespace muster {

/// A game does not send its model, but has it in memory and in its bundles. So a file for `range`
/// (and all coders but `mix`) has at most this size, ...
inline constexpr std::size_t kRangeModelBytesMax = 64U * 1024U;
/// ... and one for all coders this one.
inline constexpr std::size_t kMixModelBytesMax = 1024U * 1024U;

struct BoundedModel {
  SnapshotModel model;
  std::vector<std::byte> file;
  std::size_t lanes_left_out = 0;  ///< Of `lane_count`; see `leave_out`.
  std::size_t lane_count = 0;
};

/// Trains a model for all coders, or for all but `mix`, whose file has at most `bytes_max`. If the
/// file would be larger, lanes with the smallest gain are left out, about as few as needed. The
/// same traces give the same model. Returns nothing if the file is too large without all of them.
std::optional<BoundedModel> train_bounded(std::span<const TrainingTrace> traces, bool is_for_mix,
                                          std::size_t bytes_max);

}  // namespace muster
