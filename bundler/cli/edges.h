// Connects the commands to the disk. Only this unit constructs file systems, locks and mappings;
// all other code gets them as arguments.
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

/// Opens a folder on disk. Fails with `not_found` if `path` is not a folder.
Result<std::unique_ptr<FileSystem>> open_folder(const std::string& path);
/// Like `open_folder`, but creates a missing folder.
Result<std::unique_ptr<FileSystem>> open_or_create_folder(const std::string& path);

/// A folder on disk with the stamps of its files. `stamps` is valid as long as `files` exists.
struct StampedFolder {
  std::unique_ptr<FileSystem> files;
  const FileStamps* stamps = nullptr;
};
/// Fails like `open_folder`.
Result<StampedFolder> open_stamped_folder(const std::string& path);

/// Opens the folder of a project together with its outside folders (`outside_folders`). Leaves out
/// missing outside folders. Fails like `open_folder`.
Result<StampedFolder> open_project_folder(const std::string& path);

/// Whether a folder contains `muster.yaml` or `Assets`.
bool is_project_folder(const std::string& path);

/// The nearest folder at or above `path` that is certainly a project: it contains `muster.yaml`, or
/// both `Assets` and `ProjectSettings`. If there is no such folder, returns the nearest folder that
/// contains `Assets`, or else `path`. (A folder inside a project can also be named `Assets`.)
std::string project_above(const std::string& path);

/// The folder of a file, and the file's name in this folder. Links are followed, because a user may
/// name any file.
struct FileInFolder {
  std::unique_ptr<FileSystem> folder;
  AssetPath name;
};
/// Opens the folder of a file. The file itself may be missing. Fails with `not_found` if the folder
/// is missing, and with `invalid_argument` if `path` cannot be the path of a file.
Result<FileInFolder> open_folder_of(const std::string& path);

/// Writes a file. A plain file (or the target of a link) is replaced atomically. If the path is
/// anything else, for example a device or a pipe, the bytes are written directly into it. Fails
/// like `open_folder_of`. If the file cannot be written, fails with the code of that failure.
Result<void> write_named_file(const std::string& path, Bytes bytes);

/// The absolute path of a folder, with links and `..` resolved. Parts of the path that do not exist
/// are treated as plain folders. Fails with `invalid_argument` if `path` is empty, or if the system
/// cannot resolve it.
Result<std::string> resolved(const std::string& path);

/// Returns 32 unpredictable bytes from the system.
std::array<std::byte, 32> random_seed();

/// The hash of the running program's code. Two builds of the same version of the program can have
/// different hashes.
ContentHash program_hash();

/// Maps a file into memory.
Result<MappedFile> map_file(const std::string& path);

/// Finishes an interrupted publication in an output, if there was one. Fails with `busy` if another
/// process uses the output.
Result<void> recover_output(const std::string& path);

/// Opens a build's output for reading. Finishes an interrupted publication first, so the output is
/// complete. Fails like `recover_output` and `open_folder`.
Result<std::unique_ptr<FileSystem>> open_output(const std::string& path);

/// A build's output on disk, which is locked while it is open.
class LockedOutput {
 public:
  /// Opens or creates the folder for a build. Fails with `already_exists` if the folder contains
  /// anything that is not part of a build. If another build uses the folder, waits for the end of
  /// that build for at most `patience`, or until `stop` is requested. Fails with `busy` if the
  /// other build still uses the folder then.
  static Result<std::unique_ptr<LockedOutput>> open(const std::string& path, Duration patience = {},
                                                    const std::stop_token& stop = {});

  LockedOutput(const LockedOutput&) = delete;
  LockedOutput& operator=(const LockedOutput&) = delete;
  /// Removes unpublished files, and the folders that `open` has created if they are empty.
  ~LockedOutput();

  OutputFolder& folder() { return *folder_; }
  FileSystem& files() { return *files_; }
  const FileStamps& stamps() const { return *files_; }

 private:
  explicit LockedOutput(std::string path) : path_(std::move(path)) {}
  Result<void> lock_and_open();
  void remove_lock_if_alone();

  std::string path_;
  std::vector<std::string> created_;  ///< The folders that `open` has created, outermost first.
  std::optional<DiskFileSystem> files_;
  std::optional<FolderLock> lock_;
  std::optional<OutputFolder> folder_;
};

}  // namespace muster::cli
