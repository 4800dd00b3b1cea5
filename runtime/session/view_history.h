// States of a client's components over the last ticks, and what to show between them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "registry/components/component.h"
#include "runtime/sync/teleport.h"
#include "runtime/world/world.h"

namespace muster {

/// The states of one component type whose fields are interpolated, for entities by slot.
class ComponentHistory {
 public:
  /// States kept per entity: enough for a delay of some snapshots.
  static constexpr std::uint32_t kStates = 16;

  struct Limits {
    float metres_per_tick = 4;      ///< A position that moves by more was teleported.
    double extrapolated_ticks = 6;  ///< Beyond the newest state.
  };
  ComponentHistory(const ComponentDescription& description, ComponentId id, const Limits& limits)
      : description_(&description),
        id_(id),
        position_(position_offset_bytes(description)),
        limits_(limits) {}

  ComponentId id() const { return id_; }
  /// Notes the state of an entity's component as of `tick`. Equal states are kept, too: they end a
  /// movement.
  void note(EntityId entity, std::uint32_t tick, Bytes value);
  /// Puts what is shown of an entity at `tick` into `out`. Beyond the newest state, fields that are
  /// interpolated linearly move on at their last speed, for as long as the last two states are
  /// apart, at most `Limits::extrapolated_ticks`, and within their range; a clock that follows
  /// arrivals closely is often a few ms ahead of them. When the later of two states was teleported,
  /// nothing is computed between them: the earlier one is shown until the later one's tick. False
  /// when nothing is known of the entity.
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
  /// Requires: two states, and `out` with the newest.
  bool is_cut(const Entry& entry, std::uint32_t after) const;
  void extrapolate(const Entry& entry, double tick, std::span<std::byte> out) const;

  const ComponentDescription* description_;
  ComponentId id_;
  std::optional<std::uint32_t> position_;  ///< Offset in the component.
  Limits limits_;
  std::vector<Entry> entries_;  ///< By slot.
};

/// Whether a component has a field that is interpolated.
bool is_interpolated(const ComponentDescription& description);

}  // namespace muster
