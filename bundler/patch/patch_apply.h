// From a build and a patch to the next build.
#pragma once

#include <cstdint>
#include <stop_token>

#include "bundler/pack/output_folder.h"
#include "bundler/patch/patch_layout.h"
#include "bundler/patch/patch_reader.h"
#include "registry/base/file_system.h"

namespace muster {

struct ApplyOptions {
  /// No larger file is made.
  std::uint64_t max_file_bytes = layout::patch::kMaxFileBytes;
  std::stop_token stop{};
};

struct AppliedPatch {
  std::uint64_t files = 0;  ///< Of the new build.
  std::uint64_t made = 0;   ///< How many of them are others than in the base.
};

/// Whether `base` is already what the patch leads to, by its loose files (which name all others):
/// what is left to do after an end between publishing and leaving is nothing. Fails as reading
/// does.
Result<bool> is_applied(const FileReader& base, const Patch& patch);

/// Makes the new build and publishes it. `base` and `out` may be of one folder. Everything is held
/// against a hash before it is used and before it is published: after a failure, `out` is as it was
/// (or what `OutputFolder::publish` promises). Fails with `invalid_argument` when `base` is not the
/// build that the patch was made for, with `hash_mismatch` when it is but has damaged bundles, or
/// when this zstd gives other bytes, with `already_exists` when `out` has a target that the new
/// build lacks, with `cancelled`, `malformed` or
/// `limit_exceeded` for a patch that is not sound, and as the disk does.
Result<AppliedPatch> apply_patch(const FileReader& base, const Patch& patch, OutputFolder& out,
                                 const ApplyOptions& options = {});

}  // namespace muster
