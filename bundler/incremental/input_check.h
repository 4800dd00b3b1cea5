// Checks whether the inputs and outputs of a build have changed since the build.
#pragma once

#include <vector>

#include "bundler/incremental/build_state.h"

namespace muster {

struct InputCheck {
  /// The paths whose content has changed, or that were added or removed; sorted.
  std::vector<AssetPath> changed;
  /// Whether the state should get new stamps: the stamp of an unchanged input differs, or was not
  /// settled before and is settled now.
  bool has_new_stamps = false;
  std::size_t input_count = 0;
  std::size_t hashed = 0;
};

/// Compares the inputs of a build with the current files, on `jobs` threads. Compares stamps. If a
/// stamp differs or was not settled, also compares the content. Updates the stamps of unchanged
/// inputs.
InputCheck check_inputs(std::vector<StateFolder>& folders, const FileReader& files,
                        const FileStamps& stamps, unsigned jobs);

/// Whether the output has all files of these targets, and whether their stamps are unchanged since
/// the build.
bool are_outputs_untouched(const BuildState& state, TargetSet targets, const FileStamps& stamps);

}  // namespace muster
