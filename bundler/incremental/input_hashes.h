// The content hashes of a build's inputs, without reading known files again.
#pragma once

#include "bundler/incremental/build_state.h"
#include "bundler/incremental/recorded_files.h"

namespace muster {

/// Hashes of files. Each comes from reading the project, or from an earlier build if the file is
/// unchanged since; otherwise the file is read again. Safe to use from several threads. Both
/// parameters outlive this object; the earlier state is optional.
class InputHashes {
 public:
  InputHashes(const RecordedFiles& inputs, const BuildState* earlier)
      : inputs_(inputs), earlier_(earlier) {}

  /// All zero for unreadable files.
  ContentHash hash_of(const AssetPath& path) const;

  /// The earlier build's record of a file that is unchanged since; null if it may have changed.
  const StateInput* rested(const AssetPath& path, const FileStamp& stamp) const;

 private:
  const RecordedFiles& inputs_;
  const BuildState* earlier_;
};

}  // namespace muster
