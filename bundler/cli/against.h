// What `muster validate --against OLD` compares with.
#pragma once

#include <string>

#include "bundler/cli/session.h"
#include "registry/rules/contract.h"

namespace muster::cli {

/// What has shipped. `old` is a build's folder, a catalog, or else a Git revision of `project`: a
/// file or folder of that name wins (a revision that is called like one has longer names too:
/// `refs/heads/NAME`). What of a revision cannot be read is told and left out. Fails as
/// reading does, and with `malformed` when nothing of a revision is left.
Result<Contract> load_contract(const std::string& project, const std::string& old,
                               TargetSet targets, Session& session);

}  // namespace muster::cli
