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
  std::string registry;  ///< The registry's class; with what is done for the other tables.
  muster::TypeId type_id;
  muster::Guid guid;
  std::string path;
  std::uint64_t bundle_bytes = 0;
  muster::Duration load_time{};  ///< To open, verify, decompress and check what was not yet.
  std::uint32_t entities = 0;
  std::uint32_t components = 0;        ///< Described ones, which reach the world.
  std::uint32_t other_components = 0;  ///< Those without description, which do not.
  std::string error;                   ///< Empty when all went well.
};

struct TourReport {
  std::vector<TourStop> stops;
  std::uint64_t effects_played = 0;
  std::uint64_t effects_ended = 0;
  std::uint32_t left_over = 0;  ///< Entities that stayed after all were asked to despawn.
  std::uint64_t bundles_opened = 0;
  std::uint64_t bundle_bytes = 0;

  std::uint32_t failures() const;
};

/// Tours one side's build in a world of its own and adds to `report`. `clock` times the loading;
/// nothing else depends on it.
void tour(muster::BundleStore& store, const muster::Clock& clock, TourReport& report);

}  // namespace arena
