// A project as it was at some revision of its Git repository.
#pragma once

#include <memory>
#include <string>

#include "registry/vocabulary/file_system.h"

namespace muster::cli {

/// Opens the folder `project` as it is at `revision`, read from Git's objects: the work tree, the
/// index and every reference stay as they are. `git` runs as a program of its own, with arguments
/// as a list, no shell and no hooks. Blobs are read when they are asked for. What Git LFS keeps is
/// taken from the repository's own store of it where it is there ('git lfs fetch origin REVISION'
/// brings it), and is a pointer where not: nothing is fetched. Symbolic links and submodules are
/// not there. Files cannot be written. Fails with `not_found` when there is no repository, revision
/// or folder, with `invalid_argument` when `revision` cannot be the name of one, and with `io` when
/// there is no `git`.
Result<std::unique_ptr<FileSystem>> open_revision(const std::string& project,
                                                  const std::string& revision);

}  // namespace muster::cli
