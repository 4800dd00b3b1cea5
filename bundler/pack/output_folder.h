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
/// untouched; one that dies inside it leaves a journal from which the next opening finishes the
/// work, so that the parts always belong together. The caller keeps other processes out:
///
///     OutputFolder::check_usable(files)            nothing of somebody else's gets a lock file
///     FolderLock::acquire(path, OutputFolder::kLockName)
///     OutputFolder::open_for_build(files)
class OutputFolder {
 public:
  /// What stands in the folder besides the targets' folders.
  static constexpr std::string_view kReportName = "build.json";
  /// What belongs to one build alone: no signature and no patch covers it.
  static constexpr std::string_view kTimesName = ".muster-times.json";
  /// A larger one is not read.
  static constexpr std::uint64_t kReportBytesMax = 1024ULL * 1024 * 1024;
  /// The file whose lock keeps other processes out. It stays when the build is over.
  static constexpr std::string_view kLockName = ".muster-lock";

  /// Whether a file or folder of this name belongs at the top of an output, or is left alone there.
  static bool may_hold(std::string_view name);

  /// Fails with `already_exists` when the folder holds something that is no build, naming it, or as
  /// the disk fails. Changes nothing.
  static Result<void> check_usable(const FileReader& files);

  /// Opens the folder for a build, after finishing an interrupted `publish` and removing what was
  /// staged by a build that died. Fails like `check_usable`. Requires: the lock is held for as long
  /// as the result lives, and `files` lives longer.
  static Result<OutputFolder> open_for_build(FileSystem& files);

  /// True when a `publish` was interrupted. Readers ask before they look.
  static Result<bool> needs_recovery(const FileReader& files);
  /// Finishes an interrupted `publish`, if there is one. Requires: the lock is held.
  static Result<void> recover(FileSystem& files);

  OutputFolder(OutputFolder&& other) noexcept;
  OutputFolder& operator=(OutputFolder&&) = delete;
  /// Removes what was staged and not published.
  ~OutputFolder();

  /// Lets files of the present output become files of the new one without copying them.
  void use_links(FileLinks& links) { links_ = &links; }

  /// Makes files in a folder of some output (this one, when `from` is its file system) files of the
  /// new output in `folder`: by links where that is possible, else as copies. Fails as the disk
  /// does.
  Result<void> carry_over(const FileReader& from, const AssetPath& old_folder,
                          const AssetPath& folder, std::span<const std::string> names);
  /// The stamps of staged files in one folder, like `FileStamps::stamps_in`.
  void stamps_of_staged(const FileStamps& stamps, const AssetPath& folder,
                        std::span<const std::string_view> names, std::span<FileStamp> found) const;
  const FileReader& files() const { return *files_; }

  /// Writes a file of the new output; `path` is relative to the output folder.
  Result<void> stage(const AssetPath& path, Bytes bytes);
  /// Reads a part of a file that was staged, like `FileSystem::read`.
  Result<Bytes> read_staged(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                            ByteVector& buffer) const;
  /// Puts every staged part (first-level file or folder) in place of the old one. After a failure
  /// the output is the old one, or the next opening makes it the new one.
  Result<void> publish();
  /// Reads a file of the present output.
  Result<Bytes> read(const AssetPath& path, std::uint64_t max_bytes, ByteVector& buffer) const;

 private:
  explicit OutputFolder(FileSystem& files) : files_(&files) {}

  FileSystem* files_;  ///< Null when moved from.
  FileLinks* links_ = nullptr;
  std::set<std::string> parts_;
};

}  // namespace muster
