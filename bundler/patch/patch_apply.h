// Makes a new build from an old build and a patch.
#pragma once

#include <cstdint>
#include <stop_token>

#include "bundler/pack/output_folder.h"
#include "bundler/patch/patch_layout.h"
#include "bundler/patch/patch_reader.h"
#include "registry/base/file_system.h"

namespace muster {

struct ApplyOptions {
  /// The maximum size in bytes of a file that is made.
  std::uint64_t max_file_bytes = layout::patch::kMaxFileBytes;
  std::stop_token stop{};
};

struct AppliedPatch {
  std::uint64_t files = 0;  ///< The number of files of the new build.
  std::uint64_t made = 0;   ///< The number of these files that differ from the base.
};

/// Whether `base` is already the result of the patch. This is possible if an earlier run was
/// interrupted after publishing. Compares only the loose files, which contain the hashes of all
/// other files. Fails if a file cannot be read, with the code of that failure.
Result<bool> is_applied(const FileReader& base, const Patch& patch);

/// Makes the new build and publishes it. `base` and `out` may be the same folder. Every file is
/// compared with a hash before it is used and before it is published. After a failure, `out` is
/// unchanged, unless publishing failed; the documentation of `OutputFolder::publish` describes this
/// case. Fails with:
/// - `invalid_argument` if `base` is not the build for which the patch was made;
/// - `hash_mismatch` if `base` has damaged bundles, or if this release of zstd gives other bytes;
/// - `already_exists` if `out` has a target that the new build does not have;
/// - `malformed` or `limit_exceeded` for an invalid patch;
/// - `cancelled`, or with the code of the failure if a file cannot be read or written.
Result<AppliedPatch> apply_patch(const FileReader& base, const Patch& patch, OutputFolder& out,
                                 const ApplyOptions& options = {});

}  // namespace muster
