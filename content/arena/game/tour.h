// A tour of everything in a build: one entity of every type id, one of every presentation, and
// every effect from its request to its end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registry/base/clock.h"
#include "registry/base/guid.h"
#include "registry/base/type_id.h"
#include "runtime/assets/bundle_store.h"

namespace arena {

/// One stop of the tour.
struct TourStop {
  std::string side;      ///< "client" or "server".
  std::string registry;  ///< The registry's class; for other tables of the catalog, their name.
  muster::TypeId type_id;
  muster::Guid guid;
  std::string path;
  std::uint64_t bundle_bytes = 0;
  muster::Duration load_time{};  ///< To load the bundles that were not loaded before this stop.
  std::uint32_t entities = 0;
  std::uint32_t components = 0;        ///< Components with a description; they are in the world.
  std::uint32_t other_components = 0;  ///< Components without one; they are not in the world.
  std::string error;                   ///< Empty for success.
};

struct TourReport {
  std::vector<TourStop> stops;
  std::uint64_t effects_played = 0;
  std::uint64_t effects_ended = 0;
  std::uint32_t left_over = 0;  ///< Entities that still exist after all were despawned.
  std::uint64_t bundles_opened = 0;
  std::uint64_t bundle_bytes = 0;

  std::uint32_t failures() const;
};

/// Tours one side's build in a separate world, and adds the results to `report`. `clock` is used
/// only to measure the loading.
void tour(muster::BundleStore& store, const muster::Clock& clock, TourReport& report);

}  // namespace arena
