// Encodes a catalog. runtime/bundle/BUNDLE_FORMAT.md, section 2, defines the format.
#pragma once

#include "bundler/pack/catalog_data.h"
#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

/// Encodes a catalog. Equal data gives equal bytes, for any order of the lists in the data. Fails
/// with `already_exists` if two records have the same key, with `not_found` if the data names a
/// bundle but does not list it, with `limit_exceeded` if the catalog would exceed a limit of the
/// format, and with `malformed` if `check` refuses a component.
Result<ByteVector> encode_catalog(const CatalogData& data);

}  // namespace muster
