// The fixes of `muster validate --fix`.
#pragma once

#include <memory>

#include "bundler/cli/session.h"

namespace muster::cli {

/// How `--fix` works.
struct FixOptions {
  bool is_dry_run = false;
  bool may_lose = false;  ///< May remove entries and retire their ids.
};

/// Fixes the case of paths in `muster.yaml`, without which a project cannot be opened, and reports
/// it. True if there were any; with `dry_run` they are unchanged.
Result<bool> fix_config(const std::string& project, bool dry_run, Session& session);

/// Fixes mechanical problems, and opens the project again: missing sidecars, and those whose name
/// differs from their asset's in case; guids in upper case; what `muster prepare` writes
/// (registries, stored guids and ids). Everything is planned before anything is written; each file
/// is replaced atomically. Reports each change. With `is_dry_run` the disk is unchanged, and the
/// opened project has the fixes: `as_fixed` contains its files then. Without `may_lose`, a fix that
/// would remove entries fails with `invalid_argument`, lists them and changes nothing.
Result<void> fix_project(OpenProject& open, const FixOptions& options,
                         std::unique_ptr<FileSystem>& as_fixed, Session& session,
                         const Progress& progress);

}  // namespace muster::cli
