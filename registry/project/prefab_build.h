// What the two dialects' flatteners share. Internal to this room.
#pragma once

#include <functional>

#include "registry/project/prefab.h"

namespace muster::prefab_build {

/// Gives the flattened form of a nested prefab, or null (after noting a problem).
using Nested = std::function<const SourcePrefab*(const yaml::Reference& source,
                                                 std::vector<PrefabProblem>& problems)>;

/// Flattens a `.prefab` of Unity's dialect.
SourcePrefab flatten_unity(const SourceFile& source, const Scripts& scripts, const Nested& nested);
/// Flattens a plain file of class `Prefab`, or a plain factory (`components:` at the top).
SourcePrefab flatten_plain(const SourceFile& source, const Nested& nested);

}  // namespace muster::prefab_build
