// What a world keeps for those who watch it.
#pragma once

#include <vector>

#include "runtime/world/signature.h"
#include "runtime/world/world_log.h"

namespace muster {

/// What happened to a world, as far as anybody wants to know. It belongs to the place, not to the
/// state: a copy of a world starts unwatched, and a world that is assigned to stays watched.
/// Otherwise a copy would note down everything for a ring that it does not have.
struct WorldWatch {
  WorldWatch() = default;
  WorldWatch(const WorldWatch&) {}
  WorldWatch& operator=(const WorldWatch&) { return *this; }  // NOLINT: it keeps what it has
  ~WorldWatch() = default;

  WorldLog log;
  std::vector<Signature> touched;
  bool is_logging = false;
  bool is_tracking_signatures = false;
};

}  // namespace muster
