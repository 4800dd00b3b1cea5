// Encodes a catalog. The format is runtime/bundle/BUNDLE_FORMAT.md, section 2.
#pragma once

#include "bundler/pack/catalog_data.h"
#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

/// Encodes a catalog. Equal data gives equal bytes, whatever the order of the lists in the data.
/// Fails with `already_exists` if two records have the same key, with `not_found` if the data names
/// a bundle that it does not list, with `limit_exceeded` if a limit of the format is reached, and
/// with `malformed` for a component that does not pass `check`.
Result<ByteVector> encode_catalog(const CatalogData& data);

}  // namespace muster
