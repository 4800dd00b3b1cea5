// Waits until somebody changes a project.
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

/// What happens in the folders of a project, as the operating system tells it (inotify(7)). Folders
/// that Unity passes over, or makes anew, are not looked at. One thread at a time.
class FolderWatch {
 public:
  /// Looks at everything below `root`, a folder of the disk that `files` reads, but for `except`
  /// and the making of folders on the way to it (both absolute, with links resolved): a build into
  /// the project is no change of it. `named` is a folder that the project names, which is looked at
  /// whatever it is called, and for the making of which is looked as well; empty for none. What
  /// changes from now on is remembered until `wait`.
  /// Fails with `limit_exceeded` when the system allows no more watches.
  static Result<FolderWatch> open(const FileReader& files, const std::string& root,
                                  const std::string& except, const AssetPath& named = {});

  /// Also watches everything below another folder, as `open` does with `root`: content of the
  /// project that lies elsewhere.
  Result<void> add_tree(const FileReader& files, const std::string& root);

  /// Also watches for a folder that is to be created: the absolute path `folder`, by the nearest
  /// folder above it that exists.
  Result<void> add_missing(const std::string& folder, const std::string& nearest);

  std::size_t folder_count() const { return folder_count_; }

  /// Waits for a change, and then until there is quiet: who saves ten files wants one build. New
  /// folders are not looked at; open it again.
  Result<void> wait();

 private:
  FolderWatch(Descriptor queue, std::string except)
      : queue_(std::move(queue)), except_(std::move(except)) {}
  Result<void> add(const std::string& folder);
  bool is_watched(const std::string& folder) const;
  Result<void> add_named(const FileReader& files, const std::string& root, const AssetPath& named);
  /// Takes what has happened; true when any of it counts.
  Result<bool> take_events() const;
  /// Whether what happened to this name in a folder, given by its watch, is a change of the
  /// project.
  bool counts(int watch, std::string_view name) const;

  Descriptor queue_;
  std::string except_;
  std::vector<std::string> named_;  // Watched, or watched for, whatever their names.
  std::set<std::string> awaiting_;  // Watched only for what is named and to come below.
  std::unordered_map<int, std::string> folder_of_;  // per watch
  std::size_t folder_count_ = 0;
};

}  // namespace muster::cli
