// Shared by the flatteners of the two dialects. Internal to this folder.
#pragma once

#include <functional>

#include "registry/project/prefab.h"

namespace muster::prefab_build {

/// The maximum number of entities in one prefab. Without a limit, ten prefabs that each nest the
/// previous one a hundred times would need 10^20 entities. The largest real scene (not prefab) seen
/// has 60,000.
inline constexpr std::size_t kPrefabEntitiesMax = 100'000;

/// The root object's id in models with hashed ids, and its usual id in models of editors before
/// 2019.
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
