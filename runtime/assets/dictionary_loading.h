// Loads the dictionaries of a build, for decompressing its bundles.
#pragma once

#include <memory>

#include "registry/base/result.h"
#include "runtime/assets/bundle_source.h"
#include "runtime/bundle/catalog_reader.h"
#include "runtime/bundle/dictionary.h"

namespace muster {

/// Loads every dictionary of a catalog, a few of at most a megabyte each; null if it has none.
/// Fails with `not_found`, like the source, or for invalid bytes; the message contains the file.
Result<std::shared_ptr<const DictionarySet>> load_dictionaries(const BundleSource& source,
                                                               const CatalogReader& catalog);

}  // namespace muster
