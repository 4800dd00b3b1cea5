#include "runtime/session/shown_offsets.h"

#include "runtime/sync/error_blend.h"
#include "runtime/world/math.h"

namespace muster {

Vec3 ShownOffsets::offset_of(const Entry& entry, Time now) {
  const Duration passed = now - entry.since;
  if (entry.length <= Duration() || passed >= entry.length) return {};
  return entry.offset * shown_error_share(passed, entry.length);
}

void ShownOffsets::begin(EntityId entity, Vec3 offset, Time now, Duration length) {
  if (entries_.size() <= entity.slot()) entries_.resize(entity.slot() + std::size_t{1});
  Entry& entry = entries_[entity.slot()];
  if (entry.entity != entity) entry = {.entity = entity};
  entry.offset = offset;
  entry.since = now;
  entry.length = length;
}

Vec3 ShownOffsets::shown(EntityId entity, Vec3 computed, bool is_own, Time now) {
  if (entries_.size() <= entity.slot()) entries_.resize(entity.slot() + std::size_t{1});
  Entry& entry = entries_[entity.slot()];
  if (entry.entity != entity) {
    entry = {.entity = entity};
  } else if (entry.has_shown && entry.is_own != is_own) {
    begin(entity, entry.shown - computed, now, kSwitch);
  }
  entry.is_own = is_own;
  entry.has_shown = true;
  entry.shown = computed + offset_of(entry, now);
  return entry.shown;
}

void ShownOffsets::forget(EntityId entity) {
  if (entity.slot() < entries_.size() && entries_[entity.slot()].entity == entity) {
    entries_[entity.slot()] = {};
  }
}

}  // namespace muster
