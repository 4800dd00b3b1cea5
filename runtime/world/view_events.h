// Reports created and removed entities to the presentation, also if the world is restored.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/world/world.h"

namespace muster {

/// An entity with a signature was created, removed, or got another id.
struct ViewEvent {
  enum class Kind : std::uint8_t { created, destroyed, moved };
  Kind kind = Kind::created;
  Signature signature;
  EntityId entity;  ///< The entity; null if the entity was removed.
};

/// Compares the existing entities with the entities of the last call, once per frame. Between two
/// calls, a world may be restored and computed again any number of times. An entity that exists in
/// both calls is not reported, so that its presentation does not flicker. Exception: if the entity
/// got another id, it is reported as `moved`. Only entities with a signature are reported. The
/// world must outlive this object. A world can have only one `ViewEvents`.
class ViewEvents {
 public:
  /// Entities that exist now count as already reported.
  explicit ViewEvents(World& world);
  /// Stops the world's recording of changed entities.
  ~ViewEvents() { world_.stop_touched(); }
  ViewEvents(const ViewEvents&) = delete;
  ViewEvents& operator=(const ViewEvents&) = delete;

  /// Returns the changes since the last call: first the removed entities, then the created and
  /// moved entities. Both parts are in the order in which the world first changed the entities.
  /// Valid until the next call. Allocates nothing in steady state.
  std::span<const ViewEvent> collect();

 private:
  struct Announced {
    Signature signature;
    EntityId entity;
  };
  void keep_first_touches();
  void merge_added();
  std::vector<Announced>::iterator find(Signature signature);

  World& world_;
  std::vector<Announced> announced_;  ///< The reported entities, sorted by signature.
  std::vector<Signature> touched_;
  std::vector<ViewEvent> events_;
  std::vector<Announced> added_;
  std::vector<std::pair<Signature, std::uint32_t>> order_;
  std::vector<ViewEvent> later_;  ///< The events that come after the events of removed entities.
};

}  // namespace muster
