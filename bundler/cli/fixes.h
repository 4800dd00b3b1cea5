// Makes the fixes of `muster validate --fix`.
#pragma once

#include <memory>

#include "bundler/cli/session.h"

namespace muster::cli {

/// The options of `--fix`.
struct FixOptions {
  bool is_dry_run = false;
  bool may_lose = false;  ///< If true, a fix may remove entries and retire their ids.
};

/// Fixes the upper and lower case of paths in `muster.yaml`, and reports each fix. A project with
/// such errors cannot be opened. Returns true if there were such errors. With `dry_run`, the file
/// is not changed.
Result<bool> fix_config(const std::string& project, bool dry_run, Session& session);

/// Fixes mechanical problems, and opens the project again. Adds missing sidecars, renames sidecars
/// whose name differs from their asset's name in case, and changes guids to lower case. Also writes
/// the data that `muster prepare` writes (registries, stored guids and ids). All changes are
/// planned before a file is written; each file is replaced atomically. Reports each change. With
/// `is_dry_run`, the disk is not changed, and the opened project contains the fixes: its files are
/// in `as_fixed`. Without `may_lose`, a fix that would remove entries fails with
/// `invalid_argument`, lists these entries and changes nothing.
Result<void> fix_project(OpenProject& open, const FixOptions& options,
                         std::unique_ptr<FileSystem>& as_fixed, Session& session,
                         const Progress& progress);

}  // namespace muster::cli
