// What `muster validate --fix` mends.
#pragma once

#include <memory>

#include "bundler/cli/session.h"

namespace muster::cli {

struct FixOptions {
  bool is_dry_run = false;
  bool may_lose = false;
};

/// Mends the paths in `muster.yaml` that are spelled in another case than on the disk, without
/// which a project cannot be opened, and tells of it. True when there were some; with `dry_run`
/// they are still there.
Result<bool> fix_config(const std::string& project, bool dry_run, Session& session);

/// Mends what is mechanical, and opens the project anew: missing sidecars, and those whose name
/// differs from their asset's in case; guids in upper case; what `muster prepare` writes
/// (registries, stored guids and ids). Everything is planned before anything is written; each file
/// is replaced atomically. Reports each change. With `is_dry_run` nothing on the disk changes, and
/// the project that is opened is the one that would be: `as_fixed` holds its files then. Without
/// `may_lose`, a fix that would remove entries and retire their ids fails with `invalid_argument`
/// and changes nothing; the message lists them.
Result<void> fix_project(OpenProject& open, const FixOptions& options,
                         std::unique_ptr<FileSystem>& as_fixed, Session& session,
                         const Progress& progress);

}  // namespace muster::cli
