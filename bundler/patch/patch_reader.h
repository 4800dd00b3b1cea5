// The outside of a patch: header, and what it says of both builds. The format is PATCH_FORMAT.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registry/base/asset_path.h"
#include "registry/base/bytes.h"
#include "registry/base/content_hash.h"
#include "registry/base/result.h"

namespace muster {

/// A loose file, as a patch knows it.
struct PatchFile {
  AssetPath path;
  std::uint64_t bytes = 0;
  ContentHash hash{};
  bool has_prefix = false;        ///< Of the new build's: the base's file of this path.
  std::uint64_t frame_bytes = 0;  ///< Of the new build's, in the data.
};

/// What a patch says before it comes to bundles. Owns the program; views the data.
struct Patch {
  bool recompresses = false;
  std::uint32_t zstd_version = 0;  ///< Of who created it: 10504 is 1.5.4.
  std::vector<PatchFile> base;
  std::vector<PatchFile> files;  ///< Of the new build.
  ByteVector program;
  std::size_t bundles_at = 0;  ///< Where in the program the bundles' part begins.
  Bytes data;
};

/// Reads a patch whose bytes stay. Fails with `truncated`, `unsupported_version`, `hash_mismatch`,
/// `limit_exceeded` or `malformed`.
Result<Patch> read_patch(Bytes bytes);

/// The bytes of a patch. Requires: `bundles_at` is 0; the program is that of the bundles, the data
/// begins with the frames of the files.
ByteVector write_patch(const Patch& patch);

/// `1.5.4` of 10504.
std::string zstd_version_text(std::uint32_t version);
/// Of this program's zstd.
std::uint32_t own_zstd_version();

}  // namespace muster
