// Waits for changes of a project.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "registry/base/asset_path.h"
#include "registry/base/disk_file.h"
#include "registry/base/file_system.h"
#include "registry/base/result.h"

namespace muster::cli {

/// Watches the folders of a project for changes, through inotify(7). Ignores folders that Unity
/// skips or generates. One thread may use this object at a time.
class FolderWatch {
 public:
  /// Watches everything below `root`, the folder on disk that `files` reads. Ignores the folder
  /// `except` and the creation of folders on the path to `except`, because a build into the project
  /// is not a change of the project. Both paths are absolute, with links resolved. `named` is a
  /// folder that `muster.yaml` names, or empty. The folder `named` and its creation are watched,
  /// even if a folder with this name would be ignored otherwise. All changes after this call are
  /// recorded for `wait`. Fails with `limit_exceeded` if the system allows no more watches.
  static Result<FolderWatch> open(const FileReader& files, const std::string& root,
                                  const std::string& except, const AssetPath& named = {});

  /// Also watches everything below another folder, like `root` in `open`. Use it for content of the
  /// project that is outside the project's folder.
  Result<void> add_tree(const FileReader& files, const std::string& root);

  /// Also watches for the creation of a missing folder. `folder` is its absolute path, and
  /// `nearest` is the nearest existing folder above it.
  Result<void> add_missing(const std::string& folder, const std::string& nearest);

  std::size_t folder_count() const { return folder_count_; }

  /// Waits for a change, and then continues to wait until no more changes follow. So if a user
  /// saves ten files together, only one build starts. New folders are not watched: open a new
  /// `FolderWatch` after `wait`.
  Result<void> wait();

 private:
  FolderWatch(Descriptor queue, std::string except)
      : queue_(std::move(queue)), except_(std::move(except)) {}
  Result<void> add(const std::string& folder);
  bool is_watched(const std::string& folder) const;
  Result<void> add_named(const FileReader& files, const std::string& root, const AssetPath& named);
  /// Drains the recorded events. Returns true if one of them is a change of the project.
  Result<bool> drain_events() const;
  /// Whether an event for the file `name`, in the folder of `watch`, is a change of the project.
  bool counts(int watch, std::string_view name) const;

  Descriptor queue_;
  std::string except_;
  std::vector<std::string> named_;  // Folders that are watched, or that will be watched after their
                                    // creation, even if their names are ignored otherwise.
  // Folders that are watched only for the creation of a named folder in them.
  std::set<std::string> awaiting_;
  std::unordered_map<int, std::string> folder_of_;  // The folder of each watch.
  std::size_t folder_count_ = 0;
};

}  // namespace muster::cli
