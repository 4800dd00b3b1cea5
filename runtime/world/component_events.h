// Keeps objects outside a world in step with its components, however often the world is restored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/world/world.h"

namespace muster {

/// Reports that an object outside the world must be created for a component, or removed with it.
struct ComponentEvent {
  enum class Kind : std::uint8_t { initialised, deinitialised };
  Kind kind = Kind::initialised;
  EntityId entity;  ///< For `deinitialised`: the announced one, which may not exist any more.
  ComponentId component;
  Signature signature;  ///< The signature of the entity.
};

/// For objects that belong to components but are not in the world: bodies of a physics engine,
/// sounds, sockets. Compares the existing components with the announced ones, so `initialised` and
/// `deinitialised` come in pairs, also for components that a restore has added or removed.
/// (`World::initialised` and the callback of `process_despawns` are for changing the world itself;
/// they are repeated when a tick is computed again.)
///
/// Call `collect` after a tick, or after a restore and its repeated ticks. A component that was
/// removed and then added between two calls is reported as both. Exception: if its entity has the
/// same id and signature, it counts as the same component computed again, and is not reported. A
/// component that was added and then removed is not reported.
///
/// The world must outlive it, and can have one of these.
class ComponentEvents {
 public:
  /// Counts existing components as announced.
  explicit ComponentEvents(World& world);
  /// The world stops recording touched components.
  ~ComponentEvents() { world_.stop_touched_components(); }
  ComponentEvents(const ComponentEvents&) = delete;
  ComponentEvents& operator=(const ComponentEvents&) = delete;

  /// Returns the changes since the last call: first removed, then added components, each in the
  /// order of slots, then of components. Valid until the next call. Allocates nothing in steady
  /// state.
  std::span<const ComponentEvent> collect();

 private:
  struct Announced {
    EntityId entity;  ///< Null means none.
    Signature signature;
  };
  bool is_as_announced(const EntityComponent& touched);
  Announced present(ComponentId component, std::uint32_t slot) const;
  Announced& announced(ComponentId component, std::uint32_t slot);

  World& world_;
  std::vector<std::vector<Announced>> announced_;  ///< By component, then by slot.
  std::vector<EntityComponent> touched_;
  std::vector<ComponentEvent> events_;
};

}  // namespace muster
