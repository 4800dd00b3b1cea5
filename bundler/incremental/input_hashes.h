// The content of a build's inputs, without reading what is known already.
#pragma once

#include "bundler/incremental/build_state.h"
#include "bundler/incremental/recorded_files.h"

namespace muster {

/// Hashes of files: seen while the project was read; or, of a file that has rested since an earlier
/// build, seen then; else it is read once more. Safe to use from several threads. Both parameters
/// live longer; there need not be an earlier state.
class InputHashes {
 public:
  InputHashes(const RecordedFiles& inputs, const BuildState* earlier)
      : inputs_(inputs), earlier_(earlier) {}

  /// All zero for what cannot be read.
  ContentHash hash_of(const AssetPath& path) const;

  /// What the earlier build saw of a file that has not changed since; null when it may have.
  const StateInput* rested(const AssetPath& path, const FileStamp& stamp) const;

 private:
  const RecordedFiles& inputs_;
  const BuildState* earlier_;
};

}  // namespace muster
