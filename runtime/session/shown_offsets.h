// Moves an entity's shown position to its computed position without a jump.
#pragma once

#include <vector>

#include "registry/base/clock.h"
#include "registry/components/component.h"
#include "runtime/world/entity_id.h"

namespace muster {

/// Offsets from an entity's computed position to its shown position. Each offset shrinks to zero
/// over a given time. For example, a shot is first shown at the muzzle, and then moves to its
/// computed path. An offset also begins when an entity changes between interpolation and
/// prediction. The state depends only on the calls and their arguments. Only one thread at a time
/// may use this object.
class ShownOffsets {
 public:
  /// The time over which a change between interpolation and prediction is blended.
  static constexpr Duration kSwitch = std::chrono::milliseconds(400);

  /// Shows an entity at `offset` from its computed position. The offset shrinks to zero over
  /// `length`.
  void begin(EntityId entity, Vec3 offset, Time now, Duration length);
  /// Returns the position to show. `is_own` is true if the entity is predicted. When `is_own`
  /// changes, an offset begins. Requires: one call per frame and entity.
  Vec3 shown(EntityId entity, Vec3 computed, bool is_own, Time now);
  void forget(EntityId entity);

 private:
  struct Entry {
    EntityId entity{};
    bool is_own = false;
    bool has_shown = false;
    Vec3 shown{};
    Vec3 offset{};
    Time since{};
    Duration length{};  ///< 0 if there is no offset.
  };
  static Vec3 offset_of(const Entry& entry, Time now);

  std::vector<Entry> entries_;  ///< By slot.
};

}  // namespace muster
