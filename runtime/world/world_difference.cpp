// One look after the other, each over the whole worlds: an entity that exists only once explains
// more than an order that differs because of it. What the checksum folds in must be named here.
#include "runtime/world/world_difference.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "registry/vocabulary/comparison.h"

namespace muster {
namespace {

using Records = std::span<const EntityRecord>;

std::string called(const World& world, EntityId entity) {
  std::string text = "entity " + std::to_string(entity.slot());
  const std::string_view name = world.name(entity);
  if (!name.empty()) text += " '" + std::string(name) + "'";
  return text;
}

std::optional<std::string> value_difference(const World& left, const World& right,
                                            EntityId entity) {
  for (std::uint32_t i = 0; i < left.component_type_count(); ++i) {
    const ComponentDescription& description = left.storage(ComponentId(i)).description();
    const Bytes a = left.bytes(ComponentId(i), entity);
    const Bytes b = right.bytes(ComponentId(i), entity);
    if (a.empty() != b.empty()) {
      return description.name + " is only " + (b.empty() ? "left" : "right");
    }
    if (a.empty()) continue;
    const auto difference = first_difference(description, a, b);
    if (difference) return description.name + "." + difference->to_string();
  }
  return std::nullopt;
}

// What differs in an entity that both worlds have, without its place in lists.
std::optional<std::string> entity_difference(const World& left, const World& right,
                                             EntityId entity) {
  if (left.parent(entity) != right.parent(entity)) return "it hangs under another parent";
  if (left.signature(entity) != right.signature(entity)) return "it has another signature";
  if (left.player(entity) != right.player(entity)) {
    return "it is player " + std::to_string(static_cast<std::int32_t>(left.player(entity))) +
           "'s on the left, " + std::to_string(static_cast<std::int32_t>(right.player(entity))) +
           "'s on the right";
  }
  if (left.is_active(entity) != right.is_active(entity)) {
    return std::string("it is active only ") + (left.is_active(entity) ? "left" : "right");
  }
  if (left.is_despawning(entity) != right.is_despawning(entity)) {
    return std::string("it is despawning only ") + (left.is_despawning(entity) ? "left" : "right");
  }
  return value_difference(left, right, entity);
}

// Calls `look(entity)` for each of the left world's entities until it returns a text.
template <typename Look>
std::optional<WorldDifference> look_at_each(const World& world, Look look) {
  std::optional<WorldDifference> found;
  world.each_entity([&](EntityId entity) {
    if (found) return;
    if (std::optional<std::string> what = look(entity)) {
      found = {.entity = entity, .text = called(world, entity) + *what};
    }
  });
  return found;
}

// The first entity of a world that the other one does not have.
std::optional<WorldDifference> missing(const World& from, const World& in, const char* side) {
  return look_at_each(from, [&](EntityId entity) -> std::optional<std::string> {
    if (in.is_alive(entity)) return std::nullopt;
    return std::string(" is only ") + side;
  });
}

std::optional<WorldDifference> array_difference(const World& left, const World& right) {
  for (std::uint32_t i = 0; i < left.component_type_count(); ++i) {
    const std::span<const EntityId> a = left.storage(ComponentId(i)).owners();
    const std::span<const EntityId> b = right.storage(ComponentId(i)).owners();
    assert(a.size() == b.size());  // Each has an owner that both worlds have.
    const auto [at_left, at_right] = std::mismatch(a.begin(), a.end(), b.begin());
    if (at_left == a.end()) continue;
    return WorldDifference{
        .entity = *at_left,
        .text = "array order of " + left.storage(ComponentId(i)).description().name + ": at " +
                std::to_string(at_left - a.begin()) + " there is " + called(left, *at_left) +
                " on the left, " + called(right, *at_right) + " on the right"};
  }
  return std::nullopt;
}

// Free slots and how often each was used: the ids that come next follow from them.
std::optional<WorldDifference> slot_difference(Records left, Records right) {
  for (std::size_t slot = 0; slot < std::max(left.size(), right.size()); ++slot) {
    const bool is_in_both = slot < left.size() && slot < right.size();
    if (is_in_both && left[slot].generation == right[slot].generation &&
        left[slot].next_sibling == right[slot].next_sibling) {
      continue;
    }
    return WorldDifference{.entity = {},
                           .text = "slot " + std::to_string(slot) +
                                   ": it has been used at other times, so later ids differ"};
  }
  return std::nullopt;
}

// Values that differ in their bytes, although each field is within its tolerance.
std::optional<std::string> tolerated(const World& left, const World& right, EntityId entity) {
  for (std::uint32_t i = 0; i < left.component_type_count(); ++i) {
    const ComponentDescription& description = left.storage(ComponentId(i)).description();
    const Bytes a = left.bytes(ComponentId(i), entity);
    const Bytes b = right.bytes(ComponentId(i), entity);
    if (a.empty()) continue;
    for (const FieldDescription& field : description.fields) {
      const std::size_t size = std::size_t{field.count} * field.element_bytes;
      if (std::memcmp(&a[field.offset_bytes], &b[field.offset_bytes], size) == 0) continue;
      return ": " + description.name + "." + field.name + ": differs within its tolerance";
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<WorldDifference> first_difference(const World& left, const World& right) {
  assert(left.component_type_count() == right.component_type_count());
  if (auto alone = missing(left, right, "left")) return alone;
  if (auto alone = missing(right, left, "right")) return alone;
  const auto in_itself = [&](EntityId entity) -> std::optional<std::string> {
    const std::optional<std::string> what = entity_difference(left, right, entity);
    return what ? std::optional(": " + *what) : std::nullopt;
  };
  if (auto found = look_at_each(left, in_itself)) return found;
  const auto in_order = [&](EntityId entity) -> std::optional<std::string> {
    const EntityRecord& a = left.records_[entity.slot()];
    const EntityRecord& b = right.records_[entity.slot()];
    if (a.first_child != b.first_child) return ": its children come in another order";
    if (a.next_sibling != b.next_sibling) return ": another child of its parent comes after it";
    if (a.next_despawn != b.next_despawn) return ": another entity goes after it";
    return std::nullopt;
  };
  if (auto found = look_at_each(left, in_order)) return found;
  if (left.state_.first_despawn != right.state_.first_despawn) {
    return WorldDifference{.entity = {}, .text = "another entity is the first to go"};
  }
  if (auto found = array_difference(left, right)) return found;
  if (auto found = slot_difference(left.records_, right.records_)) return found;
  if (left.state_.first_free != right.state_.first_free) {
    return WorldDifference{.entity = {}, .text = "another slot is the next to be used"};
  }
  auto found = look_at_each(left, [&](EntityId entity) { return tolerated(left, right, entity); });
  if (found) found->is_tolerable = true;
  return found;
}

}  // namespace muster
