// Loads the dictionaries of a build, for decompressing its bundles.
#pragma once

#include <memory>

#include "registry/base/result.h"
#include "runtime/assets/bundle_source.h"
#include "runtime/bundle/catalog_reader.h"
#include "runtime/bundle/dictionary.h"

namespace muster {

/// Loads every dictionary of a catalog. Returns null if the catalog has no dictionaries. A catalog
/// has few dictionaries, and each has at most one megabyte. Fails with `not_found` if a file is
/// missing. If a file cannot be opened, fails with the code of the source's error. Also fails if
/// the bytes of a dictionary are invalid. The message names the file.
Result<std::shared_ptr<const DictionarySet>> load_dictionaries(const BundleSource& source,
                                                               const CatalogReader& catalog);

}  // namespace muster
