// The systems of a game and the order in which they run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "registry/base/tick.h"
#include "runtime/world/change_queue.h"
#include "runtime/world/query.h"
#include "runtime/world/worker_pool.h"
#include "runtime/world/world.h"

namespace muster {

/// The arguments of a system.
struct ScheduleContext {
  World& world;
  ChangeQueue& changes;  ///< The system's own; applied after the systems that run in parallel with
                         ///< it.
  Tick tick;
  float seconds = 0;  ///< Length of a tick.
  /// The entities to run for; empty means all. See `walk`.
  std::optional<EntitySubset> subset{};
};

/// Iterates a query over all entities, or over the subset that the system runs for.
template <typename Query, typename Visit>
void walk(const ScheduleContext& context, Query& query, Visit visit) {
  if (context.subset) {
    query.each_of(*context.subset, visit);
  } else {
    query.each(visit);
  }
}

/// A plain function on a world, and the components that it uses. Systems that run in parallel share
/// the world: a system may only change values, in place, of components that it declares to write;
/// it makes all other changes with `context.changes`.
struct System {
  std::string name;
  std::vector<ComponentId> reads;
  std::vector<ComponentId> writes;  ///< May also be read.
  std::function<void(ScheduleContext&)> run;
};

/// Runs systems with the same result as in the order of their addition. Systems may run in parallel
/// if none uses a component that another one writes. Their structural changes are applied
/// afterwards in order, so the result is equal for every number of workers.
class Schedule {
 public:
  /// Adds a system. One that declares neither reads nor writes runs alone.
  void add(System system);

  struct RunOptions {
    Tick tick;
    float seconds = 0;
    std::optional<EntitySubset> subset{};
    WorkerPool* workers = nullptr;  ///< Null uses only the caller's thread.
  };
  /// Runs every system once. Allocates nothing in steady state.
  void run(World& world, const RunOptions& options);

  /// The names of systems by stage, for display. Systems of one stage may run in parallel.
  std::vector<std::vector<std::string>> stages() const;

 private:
  struct Scheduled {
    System system;
    ChangeQueue changes;
  };
  static bool conflict(const System& a, const System& b);

  std::vector<Scheduled> systems_;
  std::vector<std::vector<std::uint32_t>> stages_;  ///< Indices of systems, ascending.
};

}  // namespace muster
