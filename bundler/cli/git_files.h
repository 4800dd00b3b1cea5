// Reads a project at a revision of its Git repository.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "registry/base/file_system.h"

namespace muster::cli {

/// Files at a revision.
class RevisionFiles : public FileReader {
 public:
  /// Why a file of the revision could not be read; nothing if all requested files were read. After
  /// a failure a comparison would silently omit this file.
  virtual std::optional<Error> failure() const = 0;

  /// Whether Git ignores an existing file, so that the revision cannot contain it.
  virtual bool ignores(const AssetPath& path) const = 0;

  /// Whether a path is a link that leads out of the project but not out of its repository.
  virtual bool leads_out_of_project(const AssetPath& path) const = 0;

  /// Treats these links as outside links, like those of a project in a folder. Call it before
  /// reading.
  virtual void leave_unread(std::set<AssetPath> links) = 0;
};

/// Opens the folder `project` at `revision`, read from Git's objects; work tree, index and
/// references are unchanged. `git` runs as a separate program, with arguments as a list, without
/// shell and hooks. Blobs are read on request; in a partial clone, those with a project's text are
/// fetched together in one request. Content of Git LFS is read from the repository's own store if
/// it is there ('git lfs fetch origin REVISION' loads it), and is a pointer otherwise. Symbolic
/// links are followed within the repository, including absolute ones into its present work tree.
/// Submodules are read at the commit in the revision, from the repository that is checked out at
/// their path. Fails with `not_found` if repository, revision or folder does not exist, with
/// `invalid_argument` if `revision` cannot be the name of one, and with `io` if `git` is missing or
/// fails: its reason is the message.
Result<std::unique_ptr<RevisionFiles>> open_revision(const std::string& project,
                                                     const std::string& revision);

}  // namespace muster::cli
