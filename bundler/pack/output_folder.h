// The folder that a build writes. The folder is replaced as a whole or not at all.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "registry/base/file_stamp.h"
#include "registry/base/file_system.h"

namespace muster {

/// A build's output, which is the root of a file system. A build writes into a staging folder
/// inside the output, and `publish` moves the parts to their final paths. If a process dies before
/// `publish`, the old output is unchanged. If a process dies in `publish`, it leaves a journal, and
/// `open_for_build` finishes the work. So all parts are always from the same build. The caller must
/// lock the folder against other processes:
///
///     OutputFolder::check_usable(files)            other folders get no lock file
///     FolderLock::acquire(path, OutputFolder::kLockName)
///     OutputFolder::open_for_build(files)
class OutputFolder {
 public:
  /// The report. The report and the next file are at the top of the output, beside the folders of
  /// the targets.
  static constexpr std::string_view kReportName = "build.json";
  /// The file with data that differs between builds of the same content. Signatures and patches do
  /// not cover it.
  static constexpr std::string_view kTimesName = ".muster-times.json";
  /// The maximum size of a report in bytes. A larger report is not read.
  static constexpr std::uint64_t kReportBytesMax = 1024ULL * 1024 * 1024;
  /// The file that a process locks, so that no other process changes the output. A build does not
  /// remove this file.
  static constexpr std::string_view kLockName = ".muster-lock";

  /// Whether a file or folder with this name is allowed at the top of an output.
  static bool may_hold(std::string_view name);

  /// Fails with `already_exists` if the folder contains a file that is not part of a build; the
  /// message has the name of that file. If the folder cannot be read, fails with the code of that
  /// failure. Changes nothing.
  static Result<void> check_usable(const FileReader& files);

  /// Opens the folder for a build. First finishes an interrupted `publish`, and removes the staged
  /// files of a build that died. Fails like `check_usable`. Requires: the caller holds the lock as
  /// long as the result exists, and `files` outlives the result.
  static Result<OutputFolder> open_for_build(FileSystem& files);

  /// True if a `publish` was interrupted. A reader of the output must call this function first.
  static Result<bool> needs_recovery(const FileReader& files);
  /// Finishes an interrupted `publish`, if there is one. Requires: the caller holds the lock.
  static Result<void> recover(FileSystem& files);

  OutputFolder(OutputFolder&& other) noexcept;
  OutputFolder& operator=(OutputFolder&&) = delete;
  /// Removes staged files that were not published.
  ~OutputFolder();

  /// Allows `carry_over` to link files of the current output into the new output instead of copying
  /// them.
  void use_links(FileLinks& links) { links_ = &links; }

  /// Adds files from a folder of an existing output to `folder` of the new output, by links if
  /// possible, otherwise as copies. `from` is the file system of this output or of another output.
  /// If a file cannot be read or written, fails with the code of that failure.
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
  /// a failure, the folder either still contains the old output, or `open_for_build` completes the
  /// new output.
  Result<void> publish();
  /// Reads a file of the current output.
  Result<Bytes> read(const AssetPath& path, std::uint64_t max_bytes, ByteVector& buffer) const;

 private:
  explicit OutputFolder(FileSystem& files) : files_(&files) {}

  FileSystem* files_;  ///< The file system; null after a move.
  FileLinks* links_ = nullptr;
  std::set<std::string> parts_;
};

}  // namespace muster
