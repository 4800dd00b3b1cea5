// Where the command meets the disk: the one unit of it that constructs file systems, locks and
// mappings. Everything behind works on what it is given.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bundler/pack/output_folder.h"
#include "registry/base/clock.h"
#include "registry/base/content_hash.h"
#include "registry/base/disk_file_system.h"
#include "registry/base/mapped_file.h"

namespace muster::cli {

/// A folder of the disk. Fails with `not_found` when it is none.
Result<std::unique_ptr<FileSystem>> open_folder(const std::string& path);
/// The same, after creating it when it is missing.
Result<std::unique_ptr<FileSystem>> open_or_create_folder(const std::string& path);

/// A folder of the disk with the stamps of its files, which live as long as it.
struct StampedFolder {
  std::unique_ptr<FileSystem> files;
  const FileStamps* stamps = nullptr;
};
/// Fails like `open_folder`.
Result<StampedFolder> open_stamped_folder(const std::string& path);

/// A project's folder, with the folders that it takes from elsewhere (`outside_folders`); those
/// that are not there are left out. Fails like `open_folder`.
Result<StampedFolder> open_project_folder(const std::string& path);

/// Whether a folder has `muster.yaml` or `Assets`.
bool is_project_folder(const std::string& path);

/// The first folder from `path` up that is a project for certain: with `muster.yaml`, or with
/// `Assets` beside `ProjectSettings`. Otherwise the first with `Assets` alone (folders
/// inside a project have that name too), or else `path`.
std::string project_above(const std::string& path);

/// A file's folder, and its name in there. Links are followed: a person may name any file.
struct FilePlace {
  std::unique_ptr<FileSystem> folder;
  AssetPath name;
};
/// Fails with `not_found` when the folder is missing, with `invalid_argument` when `path` names no
/// file. The file itself need not exist.
Result<FilePlace> open_folder_of(const std::string& path);

/// Replaces a plain file (or the one that a link leads to) atomically; writes into anything else,
/// such as a device or a pipe. Fails like `open_folder_of`, or as the disk does.
Result<void> write_named_file(const std::string& path, Bytes bytes);

/// The absolute path of a folder with links and `..` resolved, as far as it exists; what is missing
/// is taken to become plain folders. Fails with `invalid_argument` when `path` is empty, or when
/// the disk cannot tell.
Result<std::string> resolved(const std::string& path);

/// 32 bytes from the system that nobody can guess.
std::array<std::byte, 32> random_seed();

/// The hash of the running program's code: tells builds of one version apart.
ContentHash program_hash();

/// A file as bytes that are read when they are touched.
Result<MappedFile> map_file(const std::string& path);

/// Finishes a publication that was interrupted, if the folder has one. Fails with `busy` when
/// another process is at it.
Result<void> recover_output(const std::string& path);

/// A build's output, to be read: whole, also when its publication was interrupted. Fails like
/// `recover_output` and `open_folder`.
Result<std::unique_ptr<FileSystem>> open_output(const std::string& path);

/// A build's output on the disk, locked for as long as it is open.
class LockedOutput {
 public:
  /// Opens (or creates) the folder for a build. Fails with `already_exists` when it holds something
  /// that is no build, with `busy` when another build is running in it and still is after
  /// `patience` (or when `stop` is requested).
  static Result<std::unique_ptr<LockedOutput>> open(const std::string& path, Duration patience = {},
                                                    const std::stop_token& stop = {});

  LockedOutput(const LockedOutput&) = delete;
  LockedOutput& operator=(const LockedOutput&) = delete;
  /// Removes what was not published; and the folders that this created, if nothing is in them.
  ~LockedOutput();

  OutputFolder& folder() { return *folder_; }
  FileSystem& files() { return *files_; }
  const FileStamps& stamps() const { return *files_; }

 private:
  explicit LockedOutput(std::string path) : path_(std::move(path)) {}
  Result<void> lock_and_open();
  void remove_lock_if_alone();

  std::string path_;
  std::vector<std::string> created_;  ///< Folders, outermost first.
  std::optional<DiskFileSystem> files_;
  std::optional<FolderLock> lock_;
  std::optional<OutputFolder> folder_;
};

}  // namespace muster::cli
