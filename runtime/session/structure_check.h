// Reports changes of a server's world that clients do not receive.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/replication/world_sender.h"
#include "runtime/session/build_content.h"
#include "runtime/session/problem_log.h"
#include "runtime/session/simulation.h"
#include "runtime/spawn/spawner.h"
#include "runtime/world/structure_watch.h"
#include "runtime/world/world.h"

namespace muster {

/// Checks the changes that the game makes through `World`. Clients receive only the components and
/// children of an entity's prefab. So an added or removed component, another parent, a new child
/// and a despawned child of a replicated entity are reported as `unsupported_change`. A change that
/// the game has undone is not reported, and neither are changes of other entities. All arguments
/// must outlive this object.
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
  /// Reports the changes since the last call. Call this function after each `WorldSender::write`.
  /// Costs nothing without changes, and allocates nothing if no replicated entity has changed.
  void run(const WorldSender& sender, Spawner& spawner);

 private:
  void check(std::span<const StructureChange> changes, const WorldSender& sender, Spawner& spawner);
  void check_component(EntityId entity, ComponentId component, const WorldSender& sender,
                       Spawner& spawner);
  void check_parent(EntityId entity, const StructureChange& first, const WorldSender& sender);
  /// The replicated entity to which an entity belongs; null if none exists.
  EntityId replicated_root(EntityId entity) const;
  /// The index of a member of a replicated entity. Nothing for another entity.
  std::optional<std::size_t> member(EntityId root, EntityId entity,
                                    const WorldSender& sender) const;
  void report(EntityId root, EntityId entity, std::string_view component, std::string_view what,
              std::string_view change, std::string_view remedy);

  World& world_;
  const Simulation& simulation_;
  const std::shared_ptr<const BuildContent>& content_;  ///< A reload replaces the content.
  ProblemLog& problems_;
  StructureWatch watch_;
  std::vector<StructureChange> changes_;
};

}  // namespace muster
