// Loads the comparison of `muster validate --against OLD`.
#pragma once

#include <string>

#include "bundler/cli/session.h"
#include "registry/rules/contract.h"

namespace muster::cli {

/// The shipped contract. `old` is a build's folder, a catalog, or else a Git revision of the folder
/// `place` from which `project` is read. A file or folder with that name takes precedence (use
/// `refs/heads/NAME` for a branch with the same name). Fails with reading errors, and with
/// `malformed` if a part of the revision that may belong to the contract is unreadable, or is
/// ignored by Git. Prints a remark for a revision without any registry.
Result<Contract> load_contract(const Project& project, const std::string& place,
                               const std::string& old, TargetSet targets, Session& session);

}  // namespace muster::cli
