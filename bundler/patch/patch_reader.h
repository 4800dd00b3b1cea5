// Reads and writes the header of a patch, and the tables of the loose files of both builds.
// PATCH_FORMAT.md defines the format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registry/base/asset_path.h"
#include "registry/base/bytes.h"
#include "registry/base/content_hash.h"
#include "registry/base/result.h"

namespace muster {

/// A loose file in a patch.
struct PatchFile {
  AssetPath path;
  std::uint64_t bytes = 0;
  ContentHash hash{};
  bool has_prefix = false;  ///< For a file of the new build, whether its prefix is the base's file
                            ///< with the same path.
  /// For a file of the new build, the size of its frame in the data.
  std::uint64_t frame_bytes = 0;
};

/// A patch without its bundles. Owns the program, and views the data.
struct Patch {
  bool recompresses = false;
  /// The release of zstd that created the patch, for example 10504 for 1.5.4.
  std::uint32_t zstd_version = 0;
  std::vector<PatchFile> base;
  std::vector<PatchFile> files;  ///< The loose files of the new build.
  ByteVector program;
  /// The offset in the program at which the part of the bundles begins.
  std::size_t bundles_at = 0;
  Bytes data;
};

/// Parses a patch. `bytes` must outlive the result. Fails with `truncated`, `unsupported_version`,
/// `hash_mismatch`, `limit_exceeded` or `malformed`.
Result<Patch> read_patch(Bytes bytes);

/// Encodes a patch. Requires: `bundles_at` is 0, `program` contains only the part of the bundles,
/// and `data` begins with the frames of the files.
ByteVector write_patch(const Patch& patch);

/// A release of zstd as text, for example `1.5.4` for 10504.
std::string zstd_version_text(std::uint32_t version);
/// The release of zstd that this program uses.
std::uint32_t own_zstd_version();

}  // namespace muster
