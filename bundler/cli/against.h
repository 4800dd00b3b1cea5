// What `muster validate --against OLD` compares with.
#pragma once

#include <string>

#include "bundler/cli/session.h"
#include "registry/rules/contract.h"

namespace muster::cli {

/// What has shipped. `old` is a build's folder, a catalog, or else a Git revision of the folder
/// `place` that `project` is read from: a file or folder of that name wins (a revision that is
/// called like one has longer names too: `refs/heads/NAME`). Fails as reading does, and with
/// `malformed` when a revision has something that may be part of the contract and cannot be read,
/// or cannot have it because Git ignores it. A revision without any registry is noted.
Result<Contract> load_contract(const Project& project, const std::string& place,
                               const std::string& old, TargetSet targets, Session& session);

}  // namespace muster::cli
