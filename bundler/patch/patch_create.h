// From two builds to the patch between them.
#pragma once

#include <cstdint>
#include <stop_token>

#include "registry/base/bytes.h"
#include "registry/base/file_system.h"

namespace muster {

struct PatchOptions {
  /// Never compress anything again where the patch is applied: larger, but any zstd will do.
  bool is_portable = false;
  std::stop_token stop{};
};

struct MadePatch {
  ByteVector bytes;
  std::uint64_t changed_files = 0;
  /// Of the new build's files that the old one lacks, or has with other bytes: what a player would
  /// fetch without patches.
  std::uint64_t changed_bytes = 0;
  bool recompresses = false;
};

/// Compares two outputs and writes down how to make the second out of the first. Reads every bundle
/// of the first, and those of the second that are others; both are held against their catalogs.
/// Fails with `hash_mismatch` where a build is not what it says, with `already_exists` when the new
/// one has files that no build has, with `cancelled`, and as reading does, naming the file.
Result<MadePatch> create_patch(const FileReader& old_files, const FileReader& new_files,
                               const PatchOptions& options);

}  // namespace muster
