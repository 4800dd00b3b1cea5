// Moves what is shown of an entity back to where it belongs, without a jump.
#pragma once

#include <vector>

#include "registry/base/clock.h"
#include "registry/components/component.h"
#include "runtime/world/entity_id.h"

namespace muster {

/// Differences between an entity's shown and its computed position, which vanish over a time: from
/// the muzzle to the path of a shot, and from the interpolated to the predicted position when a
/// player becomes an entity's owner. A function of its calls. One thread at a time.
class ShownOffsets {
 public:
  /// Over which a change of ownership is blended.
  static constexpr Duration kSwitch = std::chrono::milliseconds(400);

  /// Shows an entity `offset` metres away, and over `length` ever less.
  void begin(EntityId entity, Vec3 offset, Time now, Duration length);
  /// The position to show. `is_own`: whether it is predicted; a change of that begins an offset.
  /// Requires: once per frame and entity.
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
    Duration length{};  ///< 0 for no offset.
  };
  static Vec3 offset_of(const Entry& entry, Time now);

  std::vector<Entry> entries_;  ///< By slot.
};

}  // namespace muster
