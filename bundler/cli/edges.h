// The connection of the command to the disk: the only unit that constructs file systems, locks and
// mappings. The code behind it works on its arguments.
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

/// Opens a folder of the disk. Fails with `not_found` if it is none.
Result<std::unique_ptr<FileSystem>> open_folder(const std::string& path);
/// The same, but creates a missing folder.
Result<std::unique_ptr<FileSystem>> open_or_create_folder(const std::string& path);

/// A folder of the disk with the stamps of its files, which are valid as long as it.
struct StampedFolder {
  std::unique_ptr<FileSystem> files;
  const FileStamps* stamps = nullptr;
};
/// Fails like `open_folder`.
Result<StampedFolder> open_stamped_folder(const std::string& path);

/// A project's folder, with its outside folders (`outside_folders`); missing ones are left out.
/// Fails like `open_folder`.
Result<StampedFolder> open_project_folder(const std::string& path);

/// Whether a folder has `muster.yaml` or `Assets`.
bool is_project_folder(const std::string& path);

/// The first folder from `path` up that is certainly a project: with `muster.yaml`, or with
/// `Assets` beside `ProjectSettings`. Otherwise the first with `Assets` alone (folders inside a
/// project may have that name too), or else `path`.
std::string project_above(const std::string& path);

/// A file's folder, and its name in it. Links are followed, because a user may name any file.
struct FilePlace {
  std::unique_ptr<FileSystem> folder;
  AssetPath name;
};
/// Fails with `not_found` if the folder is missing, with `invalid_argument` if `path` names no
/// file. The file itself need not exist.
Result<FilePlace> open_folder_of(const std::string& path);

/// Replaces a plain file (or the target of a link) atomically; writes directly into anything else,
/// such as a device or a pipe. Fails like `open_folder_of`, or with disk errors.
Result<void> write_named_file(const std::string& path, Bytes bytes);

/// The absolute path of a folder with links and `..` resolved, as far as it exists; missing parts
/// are treated as plain folders. Fails with `invalid_argument` if `path` is empty, or if the disk
/// cannot resolve it.
Result<std::string> resolved(const std::string& path);

/// 32 unpredictable bytes from the system.
std::array<std::byte, 32> random_seed();

/// The hash of the running program's code; distinguishes builds of one version.
ContentHash program_hash();

/// Maps a file into memory.
Result<MappedFile> map_file(const std::string& path);

/// Finishes an interrupted publication in a folder, if there was one. Fails with `busy` if another
/// process works on it.
Result<void> recover_output(const std::string& path);

/// A build's output, for reading; complete even if its publication was interrupted. Fails like
/// `recover_output` and `open_folder`.
Result<std::unique_ptr<FileSystem>> open_output(const std::string& path);

/// A build's output on the disk, locked while it is open.
class LockedOutput {
 public:
  /// Opens (or creates) the folder for a build. Fails with `already_exists` if it contains anything
  /// that is not part of a build, with `busy` if another build is still running in it after
  /// `patience` (or when `stop` is requested).
  static Result<std::unique_ptr<LockedOutput>> open(const std::string& path, Duration patience = {},
                                                    const std::stop_token& stop = {});

  LockedOutput(const LockedOutput&) = delete;
  LockedOutput& operator=(const LockedOutput&) = delete;
  /// Removes unpublished files, and the created folders if they are empty.
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
