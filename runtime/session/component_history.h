// Keeps a client's received component states of the last ticks, and interpolates between the
// states.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "registry/base/tick.h"
#include "registry/components/component.h"
#include "runtime/sync/teleport.h"
#include "runtime/world/world.h"

namespace muster {

/// The states of one interpolated component type. Entities are stored by slot.
class ComponentHistory {
 public:
  /// The number of kept states per entity, enough for a delay of a few snapshots.
  static constexpr std::uint32_t kStates = 16;

  struct Limits {
    float metres_per_tick = 4;  ///< A faster entity counts as teleported.
    /// The maximum number of ticks of extrapolation after the newest state.
    double extrapolated_ticks = 6;
  };
  ComponentHistory(const ComponentDescription& description, ComponentId id, const Limits& limits)
      : description_(&description),
        id_(id),
        position_(position_offset_bytes(description)),
        limits_(limits) {}

  ComponentId id() const { return id_; }
  /// Adds the state of an entity's component at `tick`. A state that equals the last state is also
  /// kept, because it marks the end of a movement.
  void note(EntityId entity, Tick tick, Bytes value);
  /// Puts the value to show at `tick` into `out`. Between two states, the value is interpolated. If
  /// the later state was teleported, the earlier state is shown until the later state's tick. After
  /// the newest state, linearly interpolated fields continue at their last speed, within their
  /// range. This extrapolation lasts at most as long as the interval between the last two states,
  /// and at most `Limits::extrapolated_ticks`. Extrapolation is common, because the clock is often
  /// a few ms ahead of the newest state. Returns false if the entity has no states.
  bool state_at(EntityId entity, double tick, std::span<std::byte> out) const;
  void forget(EntityId entity);

 private:
  struct Entry {
    EntityId entity;
    std::uint32_t count = 0;  ///< The number of added states. The last `kStates` are kept.
    std::array<Tick, kStates> ticks{};
    ByteVector values;
  };
  Bytes value_of(const Entry& entry, std::uint32_t index) const;
  /// Whether the entity was teleported between a state and the previous state.
  bool is_cut(const Entry& entry, std::uint32_t after) const;
  void extrapolate(const Entry& entry, double tick, std::span<std::byte> out) const;

  const ComponentDescription* description_;
  ComponentId id_;
  std::optional<std::uint32_t> position_;  ///< The offset of the position field, if any.
  Limits limits_;
  std::vector<Entry> entries_;  ///< Entities by slot.
};

/// Whether a component has an interpolated field.
bool is_interpolated(const ComponentDescription& description);

}  // namespace muster
