// Reports changes of a server's world that clients do not receive.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "runtime/session/build_content.h"
#include "runtime/session/problem_log.h"
#include "runtime/session/simulation.h"
#include "runtime/world/structure_watch.h"
#include "runtime/world/world.h"

namespace muster {

/// Checks the changes that the game makes through `World`. Clients receive only the components and
/// children of an entity's prefab. So an added or removed component, another parent, a new child
/// and a despawned child of a replicated entity are reported as `unsupported_change`. Changes of
/// other entities are not reported. All arguments must outlive this object.
class StructureCheck {
 public:
  StructureCheck(World& world, const Simulation& simulation,
                 const std::shared_ptr<const BuildContent>& content, ProblemLog& problems)
      : world_(world),
        simulation_(simulation),
        content_(content),
        problems_(problems),
        watch_(world) {}

  /// The library pauses this watch while it changes the world itself.
  StructureWatch& watch() { return watch_; }
  /// Reports the changes since the last call. Call this function once per tick. Costs nothing
  /// without changes, and allocates nothing in steady state.
  void run();

 private:
  void check(const StructureChange& first, std::size_t count, bool is_new);
  void check_component(const StructureChange& first, std::size_t count);
  void check_parent(const StructureChange& first);
  void check_despawn(const StructureChange& first);
  /// The replicated entity to which an entity belongs; null if none exists.
  EntityId replicated_root(EntityId entity) const;
  void report(EntityId root, EntityId entity, std::string_view component, std::string_view change,
              std::string_view remedy);

  World& world_;
  const Simulation& simulation_;
  const std::shared_ptr<const BuildContent>& content_;  ///< A reload replaces the content.
  ProblemLog& problems_;
  StructureWatch watch_;
  std::vector<StructureChange> changes_;
};

}  // namespace muster
