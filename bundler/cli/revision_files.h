// Reads a project at a revision of its Git repository.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "registry/base/file_system.h"

namespace muster::cli {

/// The files of a project at a revision.
class RevisionFiles : public FileReader {
 public:
  /// If a file of the revision could not be read, returns the error; otherwise returns no value.
  /// Call this function after reading all files, because a comparison would otherwise silently omit
  /// the unread file.
  virtual std::optional<Error> failure() const = 0;

  /// Whether Git ignores a file that exists now. A revision cannot contain such a file.
  virtual bool ignores(const AssetPath& path) const = 0;

  /// Whether a path is a link that leads out of the project, but not out of its repository.
  virtual bool leads_out_of_project(const AssetPath& path) const = 0;

  /// Treats `links` as links that lead out of the project, because a project on disk does not
  /// follow such links either. Call this function before reading.
  virtual void leave_unread(std::set<AssetPath> links) = 0;
};

/// Opens the folder `project` at `revision`, read from Git's objects. The work tree, the index and
/// the references are not changed. `git` runs as a separate program, without a shell and without
/// hooks. Blobs are read on request. In a partial clone, the blobs of all text files of the project
/// are fetched in one request. If the repository's own store of Git LFS has the content of a file,
/// this content is read ('git lfs fetch origin REVISION' loads it); otherwise the file is a
/// pointer. Symbolic links are followed within the repository, including absolute links into the
/// repository's current work tree. A submodule is read at the commit in the revision, from the
/// repository that is checked out at its path. Fails with `not_found` if the repository, the
/// revision or the folder does not exist. Fails with `invalid_argument` if `revision` cannot be the
/// name of a revision, and with `io` if `git` is missing or fails. The message of `io` has the
/// reason that `git` printed.
Result<std::unique_ptr<RevisionFiles>> open_revision(const std::string& project,
                                                     const std::string& revision);

}  // namespace muster::cli
