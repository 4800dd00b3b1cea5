// Reports added and removed components to objects outside a world, also if the world is restored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/world/world.h"

namespace muster {

/// Reports that a component was added or removed, so that an object outside the world can be
/// created or removed.
struct ComponentEvent {
  enum class Kind : std::uint8_t { initialised, deinitialised };
  Kind kind = Kind::initialised;
  EntityId entity;  ///< The owner, which may no longer exist for `deinitialised`.
  ComponentId component;
  Signature signature;  ///< The signature of the entity.
};

/// Reports added and removed components. Use this class for objects that belong to components but
/// are not in the world, for example bodies of a physics engine, sounds and sockets. `collect`
/// compares the existing components with the components of the last call. So every `deinitialised`
/// follows an `initialised`, also for components that a restore has added or removed. In contrast,
/// `World::initialised` and the callback of `process_despawns` are for changing the world itself,
/// and are repeated when a tick is computed again.
///
/// Call `collect` after a tick, or after a restore and its repeated ticks. If a component was
/// removed and then added between two calls, both events are reported. Exception: if the
/// component's entity has the same id and signature as before, the component counts as recomputed
/// and nothing is reported. If a component was added and then removed between two calls, nothing is
/// reported.
///
/// The world must outlive this object. A world can have only one `ComponentEvents`.
class ComponentEvents {
 public:
  /// Components that exist now count as already reported.
  explicit ComponentEvents(World& world);
  /// Stops the world's recording of changed components.
  ~ComponentEvents() { world_.stop_touched_components(); }
  ComponentEvents(const ComponentEvents&) = delete;
  ComponentEvents& operator=(const ComponentEvents&) = delete;

  /// Returns the changes since the last call: first the removed components, then the added
  /// components. Both parts are sorted by slot, then by component. Valid until the next call.
  /// Allocates nothing in steady state.
  std::span<const ComponentEvent> collect();

 private:
  struct Announced {
    EntityId entity;  ///< The owner; null if there is no such component.
    Signature signature;
  };
  bool is_as_announced(const EntityComponent& touched);
  Announced present(ComponentId component, std::uint32_t slot) const;
  Announced& announced(ComponentId component, std::uint32_t slot);

  World& world_;
  /// The reported components, by component type, then by slot.
  std::vector<std::vector<Announced>> announced_;
  std::vector<EntityComponent> touched_;
  std::vector<ComponentEvent> events_;
};

}  // namespace muster
