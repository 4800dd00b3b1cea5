// Whether anything has happened to the inputs and outputs of a build since.
#pragma once

#include <vector>

#include "bundler/incremental/build_state.h"

namespace muster {

struct InputCheck {
  /// The paths whose content is another, or that came or went, sorted.
  std::vector<AssetPath> changed;
  /// Whether some stamps were others though the content is as it was, or could be told only now to
  /// be at rest.
  bool has_new_stamps = false;
  std::size_t looked_at = 0;
  std::size_t hashed = 0;
};

/// Compares what a build has looked at with what is there now: by stamps, on `jobs` threads; and by
/// content where a stamp is another, or was taken too soon after a change to tell. Brings the
/// stamps of unchanged inputs up to date.
InputCheck check_inputs(std::vector<StateFolder>& folders, const FileReader& files,
                        const FileStamps& stamps, unsigned jobs);

/// Whether the output's files of these targets are those that the build left: by their stamps, none
/// missing.
bool are_outputs_untouched(const BuildState& state, TargetSet targets, const FileStamps& stamps);

}  // namespace muster
