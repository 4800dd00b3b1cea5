// What a catalog says of a build.
#pragma once

#include "bundler/build/target_build.h"
#include "bundler/pack/catalog_data.h"

namespace muster {

/// Collects the catalog of a finished target. Effects that two registries name alike are one. Fails
/// with `malformed` for a pool size or presentation key out of range, and with `already_exists` for
/// two different effects of one id: what the rules of `validate` find earlier, and where.
Result<CatalogData> fill_catalog(const Project& project, const TargetBuild& build,
                                 const std::vector<ComponentDescription>& components);

/// The hash by which a client's and a server's catalog know each other: over every registry's class
/// and type ids, what shared entries name, and every component description.
ContentHash agreement_of(const Project& project,
                         const std::vector<ComponentDescription>& components);

}  // namespace muster
