// Encodes a `PrefabData`. runtime/bundle/BUNDLE_FORMAT.md, section 4, defines the format.
#pragma once

#include "bundler/cook/prefab_data.h"
#include "registry/base/result.h"

namespace muster {

/// Encodes a flattened prefab. Fails with `invalid_argument` if the entities are not in depth-first
/// order, or if two components of the same described type differ in hash or size. Fails with
/// `limit_exceeded` if the result would exceed a limit of the format.
Result<ByteVector> encode_prefab(const PrefabData& prefab);

}  // namespace muster
