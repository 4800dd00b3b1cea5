// A file that grows while a game goes on.
#pragma once

#include <span>
#include <string>

#include "net/capture/capture_file.h"
#include "registry/base/result.h"

namespace arena {

/// `muster::AppendedFile` with messages for people. Move-only.
class OutputFile {
 public:
  /// Creates the file, or empties it. Fails with `io`, as all else does.
  static muster::Result<OutputFile> create(const std::string& path);

  muster::Result<void> append(std::span<const std::byte> bytes);
  /// Hands to the system what still waits, so that it is there though the program is killed.
  muster::Result<void> flush();
  /// Writes out what still waits; fails when that or anything before did.
  muster::Result<void> finish();

 private:
  OutputFile(std::string path, muster::AppendedFile file);
  muster::Result<void> told(bool is_written) const;

  std::string path_;
  muster::AppendedFile file_;
};

}  // namespace arena
