// The output of `muster list`.
#pragma once

#include <string>

#include "registry/model/registry_model.h"

namespace muster {

/// The registries of a project and the assets that they name per target, as JSON with sorted
/// entries, so that `diff` can compare two projects. Entries without an asset for `targets` are
/// left out. An entry has no `targets` if its asset is in no target's list. Then either no root
/// builds the registry (`-` in `listing_text`), or the asset is a factory of the older layouts,
/// which is packed with its registry (`with registry`). `problems` lists the unreadable parts, and
/// exists only if there are any.
std::string listing_json(const Project& project, TargetSet targets);

/// The same for users.
std::string listing_text(const Project& project, TargetSet targets);

/// A C++ header with a constant for each type id that `targets` use, by registry class. A constant
/// has the name of the entry's asset. If several assets have this name, the id is appended. Entries
/// without an asset, and classes without ids, get no constant.
std::string listing_cpp(const Project& project, TargetSet targets);

}  // namespace muster
