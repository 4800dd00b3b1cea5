// What a catalog says of a build.
#pragma once

#include "bundler/pack/catalog_data.h"
#include "bundler/pack/target_build.h"

namespace muster {

/// Collects the catalog of a finished target.
CatalogData fill_catalog(const Project& project, const TargetBuild& build,
                         const std::vector<ComponentDescription>& components);

/// The hash by which a client's and a server's catalog know each other: over every registry's class
/// and type ids, what shared entries name, and every component description.
ContentHash agreement_of(const Project& project,
                         const std::vector<ComponentDescription>& components);

}  // namespace muster
