// Waits until somebody changes a project.
#pragma once

#include <string>

#include "registry/vocabulary/asset_path.h"
#include "registry/vocabulary/disk_file.h"
#include "registry/vocabulary/file_system.h"
#include "registry/vocabulary/result.h"

namespace muster::cli {

/// What happens in the folders of a project, as the operating system tells it (inotify(7)). Folders
/// that Unity passes over, or makes anew, are not looked at. One thread at a time.
class FolderWatch {
 public:
  /// Looks at everything below `root`, a folder of the disk that `files` reads, but for `except`
  /// (an absolute path with links resolved). What changes from now on is remembered until `wait`.
  /// Fails with `limit_exceeded` when the system allows no more watches.
  static Result<FolderWatch> open(const FileSystem& files, const std::string& root,
                                  const std::string& except);

  std::size_t folder_count() const { return folder_count_; }

  /// Waits for a change, and then until there is quiet: who saves ten files wants one build. New
  /// folders are not looked at; open it again.
  Result<void> wait();

 private:
  explicit FolderWatch(Descriptor queue) : queue_(std::move(queue)) {}
  Result<void> add(const std::string& folder);
  /// Takes what has happened; true when any of it counts.
  Result<bool> take_events() const;

  Descriptor queue_;
  std::size_t folder_count_ = 0;
};

}  // namespace muster::cli
