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

/// The changes in the folders of a project, as reported by the operating system (inotify(7)).
/// Ignores folders that Unity skips or generates. One thread at a time.
class FolderWatch {
 public:
  /// Watches everything below `root`, a folder of the disk that `files` reads. Ignores the folder
  /// `except`, and the creation of folders on the path to `except`, because a build into the
  /// project is not a change of the project. Both paths are absolute, with links resolved. `named`
  /// is a folder that the project names; if it is not empty, it and its creation are watched, even
  /// if its name would be ignored. Changes are recorded from now on until `wait`. Fails with
  /// `limit_exceeded` if the system allows no more watches.
  static Result<FolderWatch> open(const FileReader& files, const std::string& root,
                                  const std::string& except, const AssetPath& named = {});

  /// Also watches everything below another folder, like `root` in `open`: content of the project
  /// that is elsewhere.
  Result<void> add_tree(const FileReader& files, const std::string& root);

  /// Also watches for the creation of a folder: the absolute path `folder`, through the nearest
  /// existing folder above it.
  Result<void> add_missing(const std::string& folder, const std::string& nearest);

  std::size_t folder_count() const { return folder_count_; }

  /// Waits for a change, and then until no more changes follow. So saving ten files starts one
  /// build. New folders are not watched: open a new `FolderWatch` after `wait`.
  Result<void> wait();

 private:
  FolderWatch(Descriptor queue, std::string except)
      : queue_(std::move(queue)), except_(std::move(except)) {}
  Result<void> add(const std::string& folder);
  bool is_watched(const std::string& folder) const;
  Result<void> add_named(const FileReader& files, const std::string& root, const AssetPath& named);
  /// Drains the recorded events; true if any of them counts.
  Result<bool> take_events() const;
  /// Whether an event of this name in a folder, given by its watch, is a change of the project.
  bool counts(int watch, std::string_view name) const;

  Descriptor queue_;
  std::string except_;
  std::vector<std::string> named_;  // Watched, or to be created; whatever their names.
  std::set<std::string> awaiting_;  // Watched only for the creation of named folders below.
  std::unordered_map<int, std::string> folder_of_;  // one per watch
  std::size_t folder_count_ = 0;
};

}  // namespace muster::cli
