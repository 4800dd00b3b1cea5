// What the snapshots of a match were trained on, as an asset of the build.
#pragma once

#include "registry/base/bytes.h"
#include "registry/base/result.h"
#include "runtime/assets/bundle_store.h"

namespace arena {

/// The trained model that the build's first level names in `snapshot_model`: a file of
/// `snapshot_train`. Empty when none is named: then the built-in priors serve. Fails as
/// `BundleStore::load` does, and with `malformed` when it is no model.
muster::Result<muster::ByteVector> find_snapshot_model(muster::BundleStore& store);

}  // namespace arena
