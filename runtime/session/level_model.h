// The trained model of snapshots that a level names.
#pragma once

#include "registry/base/bytes.h"
#include "registry/base/guid.h"
#include "registry/base/result.h"
#include "runtime/assets/bundle_store.h"

namespace muster {

/// The model that a level's definition names in its field `snapshot_model`, an asset with the file
/// of `snapshot_train` as its main payload; empty when it names none. Fails as the level or the
/// model cannot be loaded or decoded.
Result<ByteVector> load_level_model(BundleStore& store, const Guid& level);

}  // namespace muster
