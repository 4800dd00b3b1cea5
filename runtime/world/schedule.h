// Runs the systems of a game in a fixed order, partly in parallel.
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
  /// The queue of this system. The queue is applied when all systems of the same stage have run.
  ChangeQueue& changes;
  Tick tick;
  float seconds = 0;  ///< The length of a tick.
  /// The entities for which the system runs; no value means all entities. See `walk`.
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

/// A function on a world, and the components that it uses. Systems that run in parallel share the
/// world. So a system may change, in place, only the values of the components in `writes`. A system
/// makes all other changes with `context.changes`.
struct System {
  std::string name;
  std::vector<ComponentId> reads;
  /// The components that the system changes. The system may also read them.
  std::vector<ComponentId> writes;
  std::function<void(ScheduleContext&)> run;
};

/// Runs systems. The result is the same as if the systems ran one after another, in the order in
/// which they were added. Two systems can run in parallel if neither writes a component that the
/// other reads or writes. The structural changes of parallel systems are applied afterwards, in the
/// order of the systems, so the result is equal for every number of workers.
class Schedule {
 public:
  /// Adds a system. A system with empty `reads` and `writes` never runs in parallel with another
  /// system.
  void add(System system);

  struct RunOptions {
    Tick tick;
    float seconds = 0;
    std::optional<EntitySubset> subset{};
    WorkerPool* workers = nullptr;  ///< The threads to use; null uses only the caller's thread.
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
  /// The indices of the systems of each stage, ascending.
  std::vector<std::vector<std::uint32_t>> stages_;
};

}  // namespace muster
