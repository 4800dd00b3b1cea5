// The dictionaries of a build, for decompressing its bundles.
#pragma once

#include <memory>

#include "registry/base/result.h"
#include "runtime/assets/bundle_source.h"
#include "runtime/bundle/catalog_reader.h"
#include "runtime/bundle/dictionary.h"

namespace muster {

/// Loads every dictionary that a catalog names, a few of at most a megabyte each; null when it
/// names none. Fails with `not_found`, as the source does, or with what is wrong with the bytes;
/// the message names the file.
Result<std::shared_ptr<const DictionarySet>> load_dictionaries(const BundleSource& source,
                                                               const CatalogReader& catalog);

}  // namespace muster
