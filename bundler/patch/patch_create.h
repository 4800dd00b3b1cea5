// Makes the patch between two builds.
#pragma once

#include <cstdint>
#include <stop_token>

#include "registry/base/bytes.h"
#include "registry/base/file_system.h"

namespace muster {

struct PatchOptions {
  /// True if applying the patch must not compress any block. Such a patch is larger, but works with
  /// every release of zstd.
  bool is_portable = false;
  std::stop_token stop{};
};

struct MadePatch {
  ByteVector bytes;
  std::uint64_t changed_files = 0;
  /// The total size of the changed files of the new build, which is the size of a download without
  /// a patch.
  std::uint64_t changed_bytes = 0;
  bool recompresses = false;
};

/// Compares two outputs and writes a patch that makes the new output from the old output. Reads all
/// bundles of the old output and the changed bundles of the new output, and compares them with
/// their catalogs. Fails with `hash_mismatch` if a build does not match its catalogs, with
/// `already_exists` if the new output has files that are not part of a build, and with `cancelled`.
/// If a file cannot be read, fails with the code of that failure. The message names the file.
Result<MadePatch> create_patch(const FileReader& old_files, const FileReader& new_files,
                               const PatchOptions& options);

}  // namespace muster
