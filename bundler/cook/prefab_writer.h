// Encodes a PrefabData. The format is runtime/bundle/BUNDLE_FORMAT.md, section 4.
#pragma once

#include "bundler/cook/prefab_data.h"
#include "registry/base/result.h"

namespace muster {

/// Encodes a flattened prefab. Fails with `invalid_argument` if entities are not in depth-first
/// order, or if components of one described type differ in hash or size; with `limit_exceeded` if a
/// limit of the format is reached.
Result<ByteVector> encode_prefab(const PrefabData& prefab);

}  // namespace muster
