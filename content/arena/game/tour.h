// A tour of a build: spawns one entity of every type id and of every presentation, and plays every
// effect to its end.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "registry/base/clock.h"
#include "registry/base/guid.h"
#include "registry/base/type_id.h"
#include "runtime/assets/bundle_store.h"

namespace arena {

/// One stop of the tour: the result for one asset.
struct TourStop {
  std::string side;  ///< "client" or "server".
  /// The class of the registry, or the name of another table of the catalog.
  std::string registry;
  /// The type id of an entry or of an effect, or the type of a presentation.
  std::variant<muster::TypeId, muster::PresentationType> type;
  muster::Guid guid;
  std::string path;
  std::uint64_t bundle_bytes = 0;
  /// The time to load the bundles that were not loaded before this stop.
  muster::Duration load_time{};
  std::uint32_t entities = 0;
  std::uint32_t components = 0;  ///< The components with a description, which are in the world.
  /// The components without a description, which are not in the world.
  std::uint32_t other_components = 0;
  std::string error;  ///< Empty for success.

  /// The number of `type`, for reports.
  std::uint32_t type_number() const;
};

struct TourReport {
  std::vector<TourStop> stops;
  std::uint64_t effects_played = 0;
  std::uint64_t effects_ended = 0;
  /// The entities that still exist after the tour has despawned all entities. 0 if there is no bug.
  std::uint32_t left_over = 0;
  std::uint64_t bundles_opened = 0;
  std::uint64_t bundle_bytes = 0;

  std::uint32_t failures() const;
};

/// Tours the build of one side (client or server) in a new world, and adds the results to `report`.
/// `clock` is used only to measure the loading.
void tour(muster::BundleStore& store, const muster::Clock& clock, TourReport& report);

}  // namespace arena
