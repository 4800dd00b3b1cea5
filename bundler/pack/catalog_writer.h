// Encodes a catalog. The format is runtime/bundle/BUNDLE_FORMAT.md, section 2.
#pragma once

#include "bundler/pack/catalog_data.h"
#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

/// Encodes a catalog; equal data in any order gives equal bytes, which a reader accepts. Fails with
/// `already_exists` if two records have one key, `not_found` if an unlisted bundle is named,
/// `limit_exceeded` if a limit of the format is reached, `malformed` for a component that does not
/// pass `check`.
Result<ByteVector> encode_catalog(const CatalogData& data);

}  // namespace muster
