// The trained model of snapshots that a level names.
#pragma once

#include "registry/base/bytes.h"
#include "registry/base/guid.h"
#include "registry/base/result.h"
#include "runtime/assets/bundle_store.h"

namespace muster {

/// Loads the model that a level's definition names in its field `snapshot_model`. The result is
/// empty if the level names no model. The model is an asset whose main payload is a file made by
/// `snapshot_train`. Fails if the level or the model cannot be loaded or decoded.
Result<ByteVector> load_level_model(BundleStore& store, const Guid& level);

}  // namespace muster
