// Loads the old version for `muster validate --against OLD`.
#pragma once

#include <string>

#include "bundler/cli/session.h"
#include "registry/rules/contract.h"

namespace muster::cli {

/// Loads the shipped contract. `folder` is the folder of `project`. `old` is one of three things:
/// the folder of a build, a catalog file, or a Git revision of `folder`. A file or folder with the
/// name `old` takes precedence over a revision; use `refs/heads/NAME` for a branch with the same
/// name. Fails if `old` cannot be read, with the code of that failure. Also fails with `malformed`
/// if a file that may belong to the contract is unreadable in the revision, or is ignored by Git.
/// Prints a remark if the revision has no registry.
Result<Contract> load_contract(const Project& project, const std::string& folder,
                               const std::string& old, TargetSet targets, Session& session);

}  // namespace muster::cli
