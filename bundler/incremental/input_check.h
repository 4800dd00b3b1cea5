// Checks whether the inputs and outputs of a build have changed since the build.
#pragma once

#include <vector>

#include "bundler/incremental/build_state.h"

namespace muster {

struct InputCheck {
  /// The paths whose content has changed, or that were added or removed; sorted.
  std::vector<AssetPath> changed;
  /// Whether the stamps of some unchanged inputs have changed, or were not settled before and are
  /// settled now.
  bool has_new_stamps = false;
  std::size_t input_count = 0;
  std::size_t hashed = 0;
};

/// Compares the inputs of a build with the current files, on `jobs` threads. Compares stamps, and
/// then content if a stamp differs or was not settled. Updates the stamps of unchanged inputs.
InputCheck check_inputs(std::vector<StateFolder>& folders, const FileReader& files,
                        const FileStamps& stamps, unsigned jobs);

/// Whether the output has all files of these targets, and whether their stamps are unchanged since
/// the build.
bool are_outputs_untouched(const BuildState& state, TargetSet targets, const FileStamps& stamps);

}  // namespace muster
