// CatalogData to bytes. The format is runtime/bundle/BUNDLE_FORMAT.md, section 2.
#pragma once

#include "bundler/pack/catalog_data.h"
#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

/// Encodes a catalog; equal data in any order gives equal bytes, and a reader accepts them. Fails
/// with `already_exists` when two records have one key, `not_found` when a bundle is named that is
/// not listed, `limit_exceeded` when a bound of the format is reached, `malformed` for a component
/// that does not pass `check`.
Result<ByteVector> encode_catalog(const CatalogData& data);

}  // namespace muster
