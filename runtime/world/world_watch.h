// A world's data for its watchers.
#pragma once

#include <vector>

#include "runtime/world/component_id.h"
#include "runtime/world/signature.h"
#include "runtime/world/world_log.h"

namespace muster {

/// The recorded changes of a world, as far as any watcher needs them. They belong to the object,
/// not to its state: a copy of a world starts unwatched, and a world that is assigned to stays
/// watched. Otherwise a copy would record changes for a ring that it does not have.
struct WorldWatch {
  WorldWatch() = default;
  WorldWatch(const WorldWatch&) {}
  WorldWatch& operator=(const WorldWatch&) { return *this; }  // NOLINT: it keeps what it has
  ~WorldWatch() = default;

  WorldLog log;
  std::vector<Signature> touched;
  std::vector<EntityComponent> touched_components;
  bool has_ring = false;
  bool is_logging = false;  ///< From the ring's first snapshot on.
  bool is_tracking_signatures = false;
  bool is_tracking_components = false;
};

}  // namespace muster
