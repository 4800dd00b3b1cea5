// States of a client's components over the last ticks, and what to show between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "registry/vocabulary/clock.h"
#include "registry/vocabulary/component.h"
#include "registry/vocabulary/tick.h"
#include "runtime/world/world.h"

namespace muster {

/// Chooses the tick that is shown: behind the newest one by as much as snapshots are late. Follows
/// the server's time by the least delayed snapshots of the last seconds. A function of what it is
/// given. The delay rises at once with a late snapshot and falls slowly.
class ViewClock {
 public:
  ViewClock(std::uint32_t ticks_per_second, std::uint32_t snapshot_ticks);

  /// A snapshot of `tick` is the newest at `now`.
  void note(Tick tick, Time now);
  /// The tick to show, with its fraction; never decreases. 0 before the first snapshot.
  double shown(Time now);
  Duration delay() const { return delay_; }

 private:
  Duration tick_length_;
  Duration snapshot_length_;
  bool has_begun_ = false;
  Duration offset_{};  ///< Time minus the tick's time of the least delayed snapshot.
  Time last_note_{};
  Duration lateness_{};
  Duration delay_;
  double shown_ = 0;
  Time shown_at_{};
};

/// The states of one component type whose fields are interpolated, for entities by slot.
class ComponentHistory {
 public:
  /// States kept per entity: enough for a delay of some snapshots.
  static constexpr std::uint32_t kStates = 16;

  ComponentHistory(const ComponentDescription& description, ComponentId id)
      : description_(&description), id_(id) {}

  ComponentId id() const { return id_; }
  /// Notes the state of an entity's component as of `tick`. Equal states are kept, too: they end a
  /// movement.
  void note(EntityId entity, std::uint32_t tick, Bytes value);
  /// Puts what is shown of an entity at `tick` into `out`. False when nothing is known of it.
  bool state_at(EntityId entity, double tick, std::span<std::byte> out) const;
  void forget(EntityId entity);

 private:
  struct Entry {
    EntityId entity;
    std::uint32_t count = 0;  ///< States noted, of which the last `kStates` are kept.
    std::array<std::uint32_t, kStates> ticks{};
    ByteVector values;
  };
  Bytes value_of(const Entry& entry, std::uint32_t index) const;

  const ComponentDescription* description_;
  ComponentId id_;
  std::vector<Entry> entries_;  ///< By slot.
};

/// Whether a component has a field that is interpolated.
bool is_interpolated(const ComponentDescription& description);

}  // namespace muster
