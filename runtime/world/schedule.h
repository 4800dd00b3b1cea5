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

/// What a system is run with.
struct ScheduleContext {
  World& world;
  ChangeQueue& changes;  ///< The system's own; done after the systems that run beside it.
  Tick tick;
  float seconds = 0;  ///< Length of a tick.
  /// The entities to run for; nothing for all of them. See `walk`.
  std::optional<EntitySubset> subset{};
};

/// Walks a query for all entities, or for the subset that the system is run for.
template <typename Query, typename Visit>
void walk(const ScheduleContext& context, Query& query, Visit visit) {
  if (context.subset) {
    query.each_of(*context.subset, visit);
  } else {
    query.each(visit);
  }
}

/// A plain function over a world, and the components that it touches. Systems that run side by side
/// share the world: one may change only values, in place, of components that it declares to write,
/// and leaves everything else to `context.changes`.
struct System {
  std::string name;
  std::vector<ComponentId> reads;
  std::vector<ComponentId> writes;  ///< May be read as well.
  std::function<void(ScheduleContext&)> run;
};

/// Runs systems in the order in which they were added, as far as anybody can tell: systems that do
/// not touch what the other one writes may run at the same time. Their changes of structure are
/// done afterwards in that order, so the result is the same for every number of workers.
class Schedule {
 public:
  /// Systems that declare neither reads nor writes run alone.
  void add(System system);

  struct RunOptions {
    Tick tick;
    float seconds = 0;
    std::optional<EntitySubset> subset{};
    WorkerPool* workers = nullptr;  ///< Null for the caller's thread alone.
  };
  /// Runs every system once. Allocates nothing in steady state.
  void run(World& world, const RunOptions& options);

  /// Systems by stage, for people: those of one stage may run side by side.
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
