// The variants that a game chooses at run time.
#pragma once

#include "registry/model/project.h"

namespace muster {

/// Whether the game chooses a variant at run time, because none of its keys is chosen at build
/// time.
bool is_open(const Project& project, const VariantFile& file);

/// The guid under which the entries of an asset are packed. For a variant that the game chooses,
/// this is the guid of its base.
const Guid& packed_guid(const Project& project, AssetNumber asset);

}  // namespace muster
