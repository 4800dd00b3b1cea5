// Makes the output of `muster list`.
#pragma once

#include <string>

#include "registry/model/project.h"

namespace muster {

/// The registries of a project and the assets that they name for each target, as JSON with sorted
/// entries, so that `diff` can compare two projects. Leaves out entries without an asset for
/// `targets`. An entry has no `targets` if its asset is not in the list of any target. There are
/// two reasons: no root builds the registry (`-` in `listing_text`), or the asset is a factory of
/// an older layout, which is packed with its registry (`with registry`). `problems` lists
/// unreadable files; the key is left out if all files are readable.
std::string listing_json(const Project& project, TargetSet targets);

/// Like `listing_json`, as text for users.
std::string listing_text(const Project& project, TargetSet targets);

/// A C++ header with one constant for each type id that `targets` use, grouped by registry class. A
/// constant has the name of the entry's asset. If several assets have the same name, the id is
/// appended. Entries without an asset, and classes without ids, have no constant.
std::string listing_cpp(const Project& project, TargetSet targets);

}  // namespace muster
