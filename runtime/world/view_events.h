// What the presentation side is told of entities that come and go, however often a tick is computed
// again.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/world/world.h"

namespace muster {

/// An entity with a signature came, went, or got another id.
struct ViewEvent {
  enum class Kind : std::uint8_t { created, destroyed, moved };
  Kind kind = Kind::created;
  Signature signature;
  EntityId entity;  ///< Null when it went.
};

/// Compares what exists with what was announced before, once a frame. Between two calls a world may
/// go back and be computed again any number of times: an effect that is there before and after is
/// not mentioned (or only as `moved`, when it got another id), so it never flickers. Only entities
/// with a signature are told of. The world must outlive it, and has one of these.
class ViewEvents {
 public:
  /// Counts what exists already as announced.
  explicit ViewEvents(World& world);
  /// The world stops noting down who comes and goes.
  ~ViewEvents() { world_.stop_touched(); }
  ViewEvents(const ViewEvents&) = delete;
  ViewEvents& operator=(const ViewEvents&) = delete;

  /// What has changed since the last call, in the order of the first changes; lives until the next.
  /// Destroyed entities come before created ones. Allocates nothing in steady state.
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
  std::vector<Announced> added_;  ///< Of one call.
  std::vector<std::pair<Signature, std::uint32_t>> order_;
  std::vector<ViewEvent> later_;  ///< Those that come after the destroyed.
};

}  // namespace muster
