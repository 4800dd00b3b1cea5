// Computes the content hashes of a build's inputs without reading known files again.
#pragma once

#include "bundler/incremental/build_state.h"
#include "bundler/incremental/recorded_files.h"

namespace muster {

/// Returns the hashes of files. If the file was already read in this build, the hash comes from
/// that read. If the file is unchanged since an earlier build, the hash comes from the state of
/// that build. Otherwise the file is read again. Several threads may use this object. `inputs` and
/// `earlier` must outlive this object; `earlier` may be null.
class InputHashes {
 public:
  InputHashes(const RecordedFiles& inputs, const BuildState* earlier)
      : inputs_(inputs), earlier_(earlier) {}

  /// The hash of a file; all zero if the file cannot be read.
  ContentHash hash_of(const AssetPath& path) const;

  /// The record of a file in the earlier build; null if the file may have changed since that build.
  const StateInput* find_unchanged(const AssetPath& path, const FileStamp& stamp) const;

 private:
  const RecordedFiles& inputs_;
  const BuildState* earlier_;
};

}  // namespace muster
