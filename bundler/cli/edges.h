// Where the command meets the disk: the one unit of it that constructs file systems, locks and
// mappings. Everything behind works on what it is given.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bundler/pack/output_folder.h"
#include "registry/vocabulary/disk_file_system.h"
#include "registry/vocabulary/mapped_file.h"

namespace muster::cli {

/// A folder of the disk. Fails with `not_found` when it is none.
Result<std::unique_ptr<FileSystem>> open_folder(const std::string& path);
/// The same, after creating it when it is missing.
Result<std::unique_ptr<FileSystem>> open_or_create_folder(const std::string& path);

/// A file's folder, and its name in there.
struct FilePlace {
  std::unique_ptr<FileSystem> folder;
  AssetPath name;
};
/// Fails with `not_found` when the folder is missing, with `invalid_argument` when `path` names no
/// file. The file itself need not exist.
Result<FilePlace> open_folder_of(const std::string& path);

/// The absolute path of a folder with links resolved, whether it exists or not.
std::string resolved(std::string path);

/// A file as bytes that are read when they are touched.
Result<MappedFile> map_file(const std::string& path);

/// Finishes a publication that was interrupted, if the folder has one. Fails with `busy` when
/// another process is at it.
Result<void> recover_output(const std::string& path);

/// A build's output on the disk, locked for as long as it is open.
class LockedOutput {
 public:
  /// Opens (or creates) the folder for a build. Fails with `already_exists` when it holds something
  /// that is no build, with `busy` when another build is running in it.
  static Result<std::unique_ptr<LockedOutput>> open(const std::string& path);

  LockedOutput(const LockedOutput&) = delete;
  LockedOutput& operator=(const LockedOutput&) = delete;
  /// Removes what was not published; and the folder, if this created it and nothing is in it.
  ~LockedOutput();

  OutputFolder& folder() { return *folder_; }

 private:
  LockedOutput(std::string path, bool is_new, DiskFileSystem files)
      : path_(std::move(path)), is_new_(is_new), files_(std::move(files)) {}
  Result<void> lock_and_open();

  std::string path_;
  bool is_new_;
  DiskFileSystem files_;
  std::optional<FolderLock> lock_;
  std::optional<OutputFolder> folder_;
};

}  // namespace muster::cli
