// The flatteners of the two dialects share this file. Only files in this folder include it.
#pragma once

#include <functional>

#include "registry/project/prefab_flattener.h"

namespace muster::prefab_build {

/// The maximum number of entities in one prefab. Without a limit, ten prefabs that each nest the
/// previous prefab 100 times would need 10^20 entities. The largest known scene has 60,000
/// entities.
inline constexpr std::size_t kPrefabEntitiesMax = 100'000;

/// The id of a model's root object in models with hashed ids, and its usual id in models from
/// editors before Unity 2019.
inline constexpr std::int64_t kHashedModelRoot = 919132149155446097;
inline constexpr std::int64_t kFirstModelObject = 100000;

/// Returns the flattened form of a nested prefab, or null (after adding a problem).
using Nested = std::function<const SourcePrefab*(const yaml::Reference& source,
                                                 std::vector<PrefabProblem>& problems)>;

/// Flattens a `.prefab` of Unity's dialect.
SourcePrefab flatten_unity(const SourceFile& source, const Scripts& scripts, const Nested& nested);
/// Flattens a plain file of class `Prefab`, or a plain factory (`components:` at the top).
SourcePrefab flatten_plain(const SourceFile& source, const Nested& nested);

}  // namespace muster::prefab_build
