// What lives outside a world for its components, kept right however often the world goes back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/world/world.h"

namespace muster {

/// Something outside the world has to be made for a component, or has to go with it.
struct ComponentEvent {
  enum class Kind : std::uint8_t { initialised, deinitialised };
  Kind kind = Kind::initialised;
  EntityId entity;  ///< Of `deinitialised`: as it was announced; it may be gone.
  ComponentId component;
  Signature signature;  ///< The entity's.
};

/// For what belongs to components but is not in the world: bodies of a physics engine, sounds,
/// sockets. Compares which components there are with what was announced before, so initialising and
/// deinitialising come in pairs: a component that going back has brought again is initialised
/// again, one that going back has taken is deinitialised. (`World::initialised` and the callback of
/// `process_despawns` are for changing the world itself, and are repeated like everything else when
/// a tick is computed again.)
///
/// Collect after a tick, or after going back and computing again. A component that has gone and
/// come between two calls is told of as both; unless its entity has the id and the signature that
/// it had: that is the same thing computed again, and nobody is told. One that has come and gone is
/// not mentioned.
///
/// The world must outlive it, and has one of these.
class ComponentEvents {
 public:
  /// Counts what exists already as announced.
  explicit ComponentEvents(World& world);
  /// The world stops noting down what comes and goes.
  ~ComponentEvents() { world_.stop_touched_components(); }
  ComponentEvents(const ComponentEvents&) = delete;
  ComponentEvents& operator=(const ComponentEvents&) = delete;

  /// What has changed since the last call: what is to go first, then what has come, each in the
  /// order of slots, then of components. Lives until the next call. Allocates nothing in steady
  /// state.
  std::span<const ComponentEvent> collect();

 private:
  struct Announced {
    EntityId entity;  ///< Null for none.
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
