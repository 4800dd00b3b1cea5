// The folder that a build writes: replaced as a whole, or not at all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "registry/vocabulary/disk_file_system.h"

namespace muster {

/// A build's output on disk. While it is open, other processes are kept out. A build writes into a
/// staging folder inside; `publish` puts the parts in place. A process that dies before `publish`
/// leaves the old output untouched; one that dies inside it leaves a journal from which the next
/// opening finishes the work, so that the parts always belong together.
class OutputFolder {
 public:
  /// What stands in the folder besides the targets' folders.
  static constexpr std::string_view kReportName = "build.json";

  /// Opens (or creates) the folder for a build. Fails with `already_exists` when it holds something
  /// that is no build, with `busy` when another build is running in it.
  static Result<OutputFolder> open_for_build(const std::string& path);

  /// Finishes an interrupted `publish`, if there is one. Readers call it before they look.
  static Result<void> recover(const std::string& path);

  OutputFolder(OutputFolder&&) noexcept;
  OutputFolder& operator=(OutputFolder&&) noexcept;
  /// Removes what was staged and not published; and the folder, if this build created it and
  /// nothing was published.
  ~OutputFolder();

  /// Writes a file of the new output; `path` is relative to the output folder.
  Result<void> stage(const AssetPath& path, Bytes bytes);
  /// Puts every staged part (first-level file or folder) in place of the old one.
  Result<void> publish();
  /// Reads a file of the present output.
  Result<Bytes> read(const AssetPath& path, std::uint64_t max_bytes, ByteVector& buffer) const;

 private:
  struct State;
  explicit OutputFolder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace muster
