// A project as it was at some revision of its Git repository.
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
  /// Why something that the revision has could not be read; nothing when all could that was asked
  /// for. A comparison with what was read would leave it out in silence.
  virtual std::optional<Error> failure() const = 0;

  /// Whether the revision cannot have a file because Git ignores it, though it is there now.
  virtual bool ignores(const AssetPath& path) const = 0;

  /// Whether a path is a link that leads out of the project and not out of its repository.
  virtual bool leads_out_of_project(const AssetPath& path) const = 0;

  /// Makes these links outside links, as those of a project in a folder are. Call it before
  /// anything is read.
  virtual void leave_unread(std::set<AssetPath> links) = 0;
};

/// Opens the folder `project` as it is at `revision`, read from Git's objects: the work tree, the
/// index and every reference stay as they are. `git` runs as a program of its own, with arguments
/// as a list, no shell and no hooks. Blobs are read when they are asked for; those of a partial
/// clone that a project's text is in are fetched at once, in one request. What Git LFS keeps is
/// taken from the repository's own store of it where it is there ('git lfs fetch origin REVISION'
/// brings it), and is a pointer where not. Symbolic links are followed within the repository, also
/// those that are absolute and lead into its present work tree;
/// submodules are read at the commit that the revision records, from the repository that is checked
/// out at their path. Fails with `not_found` when there is no repository, revision or folder, with
/// `invalid_argument` when `revision` cannot be the name of one, and with `io` when there is no
/// `git` or it refuses: its reason is the message.
Result<std::unique_ptr<RevisionFiles>> open_revision(const std::string& project,
                                                     const std::string& revision);

}  // namespace muster::cli
