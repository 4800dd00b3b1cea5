// Reports created and removed entities to the presentation, however often a tick is computed again.
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
  EntityId entity;  ///< Null if it was removed.
};

/// Compares the existing entities with the announced ones, once per frame. Between two calls a
/// world may be restored and computed again any number of times. An effect that exists before and
/// after is not reported (or only as `moved`, if it got another id), so it never flickers. Only
/// entities with a signature are reported. The world must outlive it, and can have one of these.
class ViewEvents {
 public:
  /// Counts existing entities as announced.
  explicit ViewEvents(World& world);
  /// The world stops recording touched entities.
  ~ViewEvents() { world_.stop_touched(); }
  ViewEvents(const ViewEvents&) = delete;
  ViewEvents& operator=(const ViewEvents&) = delete;

  /// Returns the changes since the last call, in the order of the first changes, removed entities
  /// before created ones. Valid until the next call. Allocates nothing in steady state.
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
  std::vector<Announced> announced_;  ///< Sorted by signature.
  std::vector<Signature> touched_;
  std::vector<ViewEvent> events_;
  std::vector<Announced> added_;  ///< Used by one call.
  std::vector<std::pair<Signature, std::uint32_t>> order_;
  std::vector<ViewEvent> later_;  ///< Those after the removed ones.
};

}  // namespace muster
