// Checks whether the inputs and outputs of a build have changed since.
#pragma once

#include <vector>

#include "bundler/incremental/build_state.h"

namespace muster {

struct InputCheck {
  /// The paths with changed content, and those that were added or removed, sorted.
  std::vector<AssetPath> changed;
  /// Whether some stamps have changed although the content has not, or are settled only now.
  bool has_new_stamps = false;
  std::size_t looked_at = 0;
  std::size_t hashed = 0;
};

/// Compares the inputs of a build with the current files: by stamps, on `jobs` threads, and by
/// content if a stamp differs or was not settled. Updates the stamps of unchanged inputs.
InputCheck check_inputs(std::vector<StateFolder>& folders, const FileReader& files,
                        const FileStamps& stamps, unsigned jobs);

/// Whether the output's files of these targets are unchanged since the build, by their stamps, and
/// complete.
bool are_outputs_untouched(const BuildState& state, TargetSet targets, const FileStamps& stamps);

}  // namespace muster
