// Collects the catalog of a build.
#pragma once

#include "bundler/build/target_build.h"
#include "bundler/pack/catalog_data.h"

namespace muster {

/// Collects the catalog of a finished target. Equal effects of two registries are merged. Fails
/// with `malformed` for a pool size or presentation key out of range, and with `already_exists` for
/// two different effects with one id. `validate` reports both earlier, with their positions.
Result<CatalogData> fill_catalog(const Project& project, const TargetBuild& build,
                                 const std::vector<ComponentDescription>& components);

/// The hash by which a client's and a server's catalog recognise each other. It covers every
/// registry's class and type ids, the assets of shared entries, and every component description.
ContentHash agreement_of(const Project& project,
                         const std::vector<ComponentDescription>& components);

}  // namespace muster
