// Collects the data for the catalog of a build.
#pragma once

#include "bundler/build/target_build.h"
#include "bundler/pack/catalog_data.h"

namespace muster {

/// Collects the data for the catalog of a finished target. Equal effects of two registries are
/// merged. Fails with `malformed` if a pool size or presentation key is out of range, and with
/// `already_exists` if two different effects have the same id. `validate` reports both errors
/// earlier, with their positions.
Result<CatalogData> fill_catalog(const Project& project, const TargetBuild& build,
                                 const std::vector<ComponentDescription>& components);

/// The hash of the content that a client and a server must have in common. If the hashes in their
/// catalogs are equal, the client and the server can play together. The hash covers the class and
/// the type ids of every registry, the assets of entries that both targets have, and every
/// component description.
ContentHash agreement_of(const Project& project,
                         const std::vector<ComponentDescription>& components);

}  // namespace muster
