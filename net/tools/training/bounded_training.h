// Models whose files have a size at most.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "net/snapshot/snapshot_model.h"
#include "net/tools/training/train_model.h"

namespace muster {

/// A game sends its model to nobody, but has it in memory and in its bundles: a file for `range`
/// (and all but `mix`) has at most so many bytes, ...
inline constexpr std::size_t kRangeModelBytesMax = 64U * 1024U;
/// ... and one for all coders.
inline constexpr std::size_t kMixModelBytesMax = 1024U * 1024U;

struct BoundedModel {
  SnapshotModel model;
  std::vector<std::byte> file;
  std::size_t lanes_left_out = 0;  ///< Of `lane_count`; see `leave_out`.
  std::size_t lane_count = 0;
};

/// Trains a model for all coders but `mix`, or for all, whose file has at most `bytes_max`. If what
/// was learnt is more, the lanes that gain the least by it are left out, about as few as it takes;
/// the same traces give the same model. Nothing when the file is too large without all of them.
std::optional<BoundedModel> train_bounded(std::span<const TrainingTrace> traces, bool is_for_mix,
                                          std::size_t bytes_max);

}  // namespace muster
