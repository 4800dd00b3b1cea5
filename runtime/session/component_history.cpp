#include "runtime/session/component_history.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "registry/components/interpolation.h"
#include "registry/components/lanes.h"

namespace muster {

bool is_interpolated(const ComponentDescription& description) {
  return std::ranges::any_of(description.fields, [](const FieldDescription& field) {
    return field.interpolation != Interpolation::step;
  });
}

Bytes ComponentHistory::value_of(const Entry& entry, std::uint32_t index) const {
  const std::size_t bytes = description_->size_bytes;
  return Bytes(entry.values).subspan((index % kStates) * bytes, bytes);
}

void ComponentHistory::note(EntityId entity, Tick tick, Bytes value) {
  if (entries_.size() <= entity.slot()) entries_.resize(entity.slot() + std::size_t{1});
  Entry& entry = entries_[entity.slot()];
  if (entry.entity != entity) {
    entry.entity = entity;
    entry.count = 0;
    entry.values.resize(std::size_t{kStates} * description_->size_bytes);
  }
  if (entry.count > 0 && entry.ticks[(entry.count - 1) % kStates] >= tick) --entry.count;
  const std::uint32_t index = entry.count++ % kStates;
  entry.ticks[index] = tick;
  std::ranges::copy(
      value, entry.values.begin() + static_cast<std::ptrdiff_t>(index * description_->size_bytes));
}

/// Whether the entity was teleported between the state before `after` and the state at `after`.
bool ComponentHistory::is_cut(const Entry& entry, std::uint32_t after) const {
  const double ticks = entry.ticks[after % kStates] - entry.ticks[(after - 1) % kStates];
  return position_ && is_teleported(value_of(entry, after - 1), value_of(entry, after), *position_,
                                    ticks * double{limits_.metres_per_tick});
}

void ComponentHistory::extrapolate(const Entry& entry, double tick,
                                   std::span<std::byte> out) const {
  const double from = entry.ticks[(entry.count - 2) % kStates].value();
  const double to = entry.ticks[(entry.count - 1) % kStates].value();
  if (is_cut(entry, entry.count - 1)) return;
  const double share =
      std::clamp(tick - to, 0.0, std::clamp(to - from, 0.0, limits_.extrapolated_ticks)) /
      (to - from);
  const Bytes before = value_of(entry, entry.count - 2);
  const Bytes newest = value_of(entry, entry.count - 1);
  for (const FieldDescription& field : description_->fields) {
    if (field.interpolation != Interpolation::linear) continue;
    with_lane_type(lane_type(field.type), [&]<typename T>(T) {
      if constexpr (std::is_floating_point_v<T>) {
        const std::size_t lanes = std::size_t{field.count} * lane_count(field);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          const std::size_t at = field.offset_bytes + lane * sizeof(T);
          const T last = load_lane<T>(newest.data() + at);
          const T speed = last - load_lane<T>(before.data() + at);
          T moved = last + speed * static_cast<T>(share);
          if (!std::isfinite(moved)) continue;
          if (field.minimum < field.maximum) {
            moved = std::clamp(moved, static_cast<T>(field.minimum), static_cast<T>(field.maximum));
          }
          store_lane(out.data() + at, moved);
        }
      }
    });
  }
}

bool ComponentHistory::state_at(EntityId entity, double tick, std::span<std::byte> out) const {
  if (entity.slot() >= entries_.size()) return false;
  const Entry& entry = entries_[entity.slot()];
  if (entry.entity != entity || entry.count == 0) return false;
  const std::uint32_t oldest = entry.count > kStates ? entry.count - kStates : 0;
  std::uint32_t after = entry.count;
  while (after > oldest && entry.ticks[(after - 1) % kStates].value() > tick) --after;
  if (after == oldest || after == entry.count) {
    std::ranges::copy(value_of(entry, after == oldest ? oldest : after - 1), out.begin());
    if (after == entry.count && after - oldest >= 2) extrapolate(entry, tick, out);
    return true;
  }
  const double from = entry.ticks[(after - 1) % kStates].value();
  const double to = entry.ticks[after % kStates].value();
  const auto fraction = static_cast<float>(std::clamp((tick - from) / (to - from), 0.0, 1.0));
  std::ranges::copy(value_of(entry, after - 1), out.begin());
  if (is_cut(entry, after)) return true;
  interpolate(*description_, value_of(entry, after - 1), value_of(entry, after), fraction, out);
  return true;
}

void ComponentHistory::forget(EntityId entity) {
  if (entity.slot() < entries_.size() && entries_[entity.slot()].entity == entity) {
    entries_[entity.slot()].entity = {};
  }
}

}  // namespace muster
