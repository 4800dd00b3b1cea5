// Makes the patch between two builds.
#pragma once

#include <cstdint>
#include <stop_token>

#include "registry/base/bytes.h"
#include "registry/base/file_system.h"

namespace muster {

struct PatchOptions {
  /// Nothing is compressed again when the patch is applied. The patch is larger, but works with
  /// every release of zstd.
  bool is_portable = false;
  std::stop_token stop{};
};

struct MadePatch {
  ByteVector bytes;
  std::uint64_t changed_files = 0;
  /// The size of the new build's files that the old one does not have with the same bytes: the
  /// download without patches.
  std::uint64_t changed_bytes = 0;
  bool recompresses = false;
};

/// Compares two outputs and writes how to make the second from the first. Reads every bundle of the
/// first, and the changed ones of the second; all are compared with their catalogs. Fails with
/// `hash_mismatch` if a build does not match its catalogs, with `already_exists` if the new one has
/// files that are not part of a build, with `cancelled`, and with reading errors, naming the file.
Result<MadePatch> create_patch(const FileReader& old_files, const FileReader& new_files,
                               const PatchOptions& options);

}  // namespace muster
