// Spawns the assets of a build: the part of `tour` (build.h) that does not need a session.
#pragma once

#include <span>

#include "registry/base/clock.h"
#include "registry/components/component.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/session/build.h"

namespace muster {

/// Tests the content of the store's build as `tour` does, in new worlds with these components. Adds
/// the results to `report`. `clock` measures the loading. Requires: the components are sorted by
/// name.
void tour(BundleStore& store, std::span<const ComponentDescription> components, const Clock& clock,
          TourReport& report);

}  // namespace muster
