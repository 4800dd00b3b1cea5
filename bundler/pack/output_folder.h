// The folder that a build writes: replaced as a whole, or not at all.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "registry/base/file_stamp.h"
#include "registry/base/file_system.h"

namespace muster {

/// A build's output, the root of a file system. A build writes into a staging folder inside;
/// `publish` puts the parts in place. A process that dies before `publish` leaves the old output
/// unchanged. A process that dies in `publish` leaves a journal. `open_for_build` then finishes the
/// work, so that the parts always belong together. The caller locks the folder against other
/// processes:
///
///     OutputFolder::check_usable(files)            other folders get no lock file
///     FolderLock::acquire(path, OutputFolder::kLockName)
///     OutputFolder::open_for_build(files)
class OutputFolder {
 public:
  /// The files in the folder besides the targets' folders.
  static constexpr std::string_view kReportName = "build.json";
  /// Data of one build alone; not covered by signatures and patches.
  static constexpr std::string_view kTimesName = ".muster-times.json";
  /// A larger report is not read.
  static constexpr std::uint64_t kReportBytesMax = 1024ULL * 1024 * 1024;
  /// The file whose lock excludes other processes. It remains after the build.
  static constexpr std::string_view kLockName = ".muster-lock";

  /// Whether a file or folder with this name belongs at the top of an output, or is ignored there.
  static bool may_hold(std::string_view name);

  /// Fails with `already_exists`, naming it, if the folder contains anything that is not part of a
  /// build, or with disk errors. Changes nothing.
  static Result<void> check_usable(const FileReader& files);

  /// Opens the folder for a build, after finishing an interrupted `publish` and removing the
  /// staging of a build that died. Fails like `check_usable`. Requires: the lock is held for the
  /// lifetime of the result, and `files` outlives it.
  static Result<OutputFolder> open_for_build(FileSystem& files);

  /// True if a `publish` was interrupted. Readers call it first.
  static Result<bool> needs_recovery(const FileReader& files);
  /// Finishes an interrupted `publish`, if there is one. Requires: the lock is held.
  static Result<void> recover(FileSystem& files);

  OutputFolder(OutputFolder&& other) noexcept;
  OutputFolder& operator=(OutputFolder&&) = delete;
  /// Removes staged files that were not published.
  ~OutputFolder();

  /// Allows files of the present output to be linked into the new one instead of copied.
  void use_links(FileLinks& links) { links_ = &links; }

  /// Adds files in a folder of any output (this one, if `from` is its file system) to the new
  /// output in `folder`: by links if possible, otherwise as copies. Fails with disk errors.
  Result<void> carry_over(const FileReader& from, const AssetPath& old_folder,
                          const AssetPath& folder, std::span<const std::string> names);
  /// The stamps of staged files in one folder, like `FileStamps::stamps_in`.
  void stamps_of_staged(const FileStamps& stamps, const AssetPath& folder,
                        std::span<const std::string_view> names, std::span<FileStamp> found) const;
  const FileReader& files() const { return *files_; }

  /// Writes a file of the new output; `path` is relative to the output folder.
  Result<void> stage(const AssetPath& path, Bytes bytes);
  /// Reads a part of a staged file, like `FileSystem::read`.
  Result<Bytes> read_staged(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                            ByteVector& buffer) const;
  /// Replaces every old part (a file or folder at the top of the output) by the staged part. After
  /// a failure the output is either the old one, or `open_for_build` completes the new one.
  Result<void> publish();
  /// Reads a file of the present output.
  Result<Bytes> read(const AssetPath& path, std::uint64_t max_bytes, ByteVector& buffer) const;

 private:
  explicit OutputFolder(FileSystem& files) : files_(&files) {}

  FileSystem* files_;  ///< Null after a move.
  FileLinks* links_ = nullptr;
  std::set<std::string> parts_;
};

}  // namespace muster
