// Makes several passes over both worlds. Entities that exist in only one world are reported first,
// because they cause different orders. All data in the checksum must be compared here.
#include "runtime/world/world_difference.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "registry/components/comparison.h"

namespace muster {
namespace {

using Records = std::span<const EntityRecord>;

std::string called(const World& world, EntityId entity) {
  std::string text = "entity " + std::to_string(entity.slot());
  const std::string_view name = world.name(entity);
  if (!name.empty()) text += " '" + std::string(name) + "'";
  return text;
}

// The differences found so far, up to the limit.
class Findings {
 public:
  Findings(std::size_t count_max, std::vector<WorldDifference>& found)
      : left_(count_max), found_(found) {}

  bool is_full() const { return left_ == 0; }
  void add(EntityId entity, std::string text, bool is_tolerable = false) {
    if (is_full()) return;
    --left_;
    found_.push_back({.entity = entity, .text = std::move(text), .is_tolerable = is_tolerable});
  }

  // Adds a difference that also causes different orders and ids, for example an entity that exists
  // in only one world.
  void add_cause(EntityId entity, std::string text) {
    has_cause_ = true;
    add(entity, std::move(text));
  }
  bool has_cause() const { return has_cause_; }

 private:
  std::size_t left_;
  bool has_cause_ = false;
  std::vector<WorldDifference>& found_;
};

// Calls `visit(field, difference)` for each field whose bytes differ. `difference` is empty if the
// values differ by at most the tolerance of the field.
template <typename Visit>
void each_changed_field(const ComponentDescription& description, Bytes a, Bytes b, Visit visit) {
  if (std::memcmp(a.data(), b.data(), description.size_bytes) == 0) return;
  ComponentDescription single = description;
  for (const FieldDescription& field : description.fields) {
    const std::size_t size = std::size_t{field.count} * field.element_bytes;
    if (std::memcmp(&a[field.offset_bytes], &b[field.offset_bytes], size) == 0) continue;
    single.fields.assign(1, field);
    visit(field, first_difference(single, a, b));
  }
}

void compare_components(const World& left, const World& right, EntityId entity, Findings& found) {
  for (std::uint32_t i = 0; i < left.component_type_count(); ++i) {
    const ComponentDescription& description = left.storage(ComponentId(i)).description();
    const auto prefix = [&] { return called(left, entity) + ": " + description.name; };
    const Bytes a = left.bytes(ComponentId(i), entity);
    const Bytes b = right.bytes(ComponentId(i), entity);
    if (a.empty() != b.empty()) {
      found.add_cause(entity, prefix() + " exists only on the " + (b.empty() ? "left" : "right"));
    } else if (!a.empty()) {
      each_changed_field(description, a, b, [&](const FieldDescription&, const auto& difference) {
        if (difference) found.add(entity, prefix() + "." + difference->to_string());
      });
    }
  }
}

// Finds the differences of an entity that both worlds have, except its position in lists.
void compare_entity(const World& left, const World& right, EntityId entity, Findings& found) {
  const auto it = [&] { return called(left, entity) + ": it "; };
  if (left.parent(entity) != right.parent(entity)) {
    found.add_cause(entity, it() + "has another parent");
  }
  if (left.signature(entity) != right.signature(entity)) {
    found.add(entity, it() + "has another signature");
  }
  if (left.player(entity) != right.player(entity)) {
    const auto player = [&](const World& world) {
      return std::to_string(static_cast<std::int32_t>(world.player(entity)));
    };
    found.add(entity, it() + "is player " + player(left) + "'s on the left, " + player(right) +
                          "'s on the right");
  }
  if (left.is_active(entity) != right.is_active(entity)) {
    found.add(entity,
              it() + "is active only on the " + (left.is_active(entity) ? "left" : "right"));
  }
  if (left.is_despawning(entity) != right.is_despawning(entity)) {
    found.add_cause(entity, it() + "is despawning only on the " +
                                (left.is_despawning(entity) ? "left" : "right"));
  }
  compare_components(left, right, entity, found);
}

// Calls `visit(entity)` for each entity of a world, until enough differences are found.
template <typename Visit>
void visit_each(const World& world, const Findings& found, Visit visit) {
  world.each_entity([&](EntityId entity) {
    if (!found.is_full()) visit(entity);
  });
}

// Finds the entities of the world `from` that the world `in` does not have.
void find_missing(const World& from, const World& in, const char* side, Findings& found) {
  visit_each(from, found, [&](EntityId entity) {
    if (!in.is_alive(entity))
      found.add_cause(entity, called(from, entity) + " exists only on the " + side);
  });
}

void compare_arrays(const World& left, const World& right, Findings& found) {
  for (std::uint32_t i = 0; i < left.component_type_count(); ++i) {
    const std::span<const EntityId> a = left.storage(ComponentId(i)).owners();
    const std::span<const EntityId> b = right.storage(ComponentId(i)).owners();
    assert(a.size() == b.size());  // Each component has an owner that both worlds have.
    const auto [at_left, at_right] = std::mismatch(a.begin(), a.end(), b.begin());
    if (at_left == a.end()) continue;
    found.add(*at_left, "array order of " + left.storage(ComponentId(i)).description().name +
                            ": at " + std::to_string(at_left - a.begin()) + " there is " +
                            called(left, *at_left) + " on the left, " + called(right, *at_right) +
                            " on the right");
  }
}

// Compares the free slots and the generations, which determine later ids.
void compare_slots(Records left, Records right, Findings& found) {
  for (std::size_t slot = 0; slot < std::max(left.size(), right.size()); ++slot) {
    const bool is_in_both = slot < left.size() && slot < right.size();
    // For a free slot, `next_sibling` is the next free slot. Entities were compared before.
    if (is_in_both && left[slot].generation == right[slot].generation &&
        (left[slot].is_alive != 0 || left[slot].next_sibling == right[slot].next_sibling)) {
      continue;
    }
    found.add({}, "slot " + std::to_string(slot) +
                      ": it was reused a different number of times, so later ids differ");
    return;  // Later slots add no information.
  }
}

// Finds values whose bytes differ by at most the tolerance of their field.
void find_tolerated(const World& left, const World& right, EntityId entity, Findings& found) {
  for (std::uint32_t i = 0; i < left.component_type_count(); ++i) {
    const ComponentDescription& description = left.storage(ComponentId(i)).description();
    const Bytes a = left.bytes(ComponentId(i), entity);
    const Bytes b = right.bytes(ComponentId(i), entity);
    if (a.empty() || b.empty()) continue;
    each_changed_field(description, a, b,
                       [&](const FieldDescription& field, const auto& difference) {
                         if (difference) return;  // This difference is already listed.
                         found.add(entity,
                                   called(left, entity) + ": " + description.name + "." +
                                       field.name + ": differs within its tolerance",
                                   true);
                       });
  }
}

}  // namespace

std::optional<WorldDifference> first_difference(const World& left, const World& right) {
  std::vector<WorldDifference> found;
  differences(left, right, 1, found);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

void differences(const World& left, const World& right, std::size_t count_max,
                 std::vector<WorldDifference>& out) {
  assert(left.component_type_count() == right.component_type_count());
  Findings found(count_max, out);
  find_missing(left, right, "left", found);
  find_missing(right, left, "right", found);
  visit_each(left, found, [&](EntityId entity) {
    if (right.is_alive(entity)) compare_entity(left, right, entity, found);
  });
  const auto compare_order = [&](EntityId entity) {
    const EntityRecord& a = left.records_[entity.slot()];
    const EntityRecord& b = right.records_[entity.slot()];
    const auto name = [&] { return called(left, entity); };
    if (a.first_child != b.first_child) {
      found.add(entity, name() + ": its children have another order");
    }
    if (a.next_sibling != b.next_sibling) {
      found.add(entity, name() + ": another child of its parent follows it");
    }
    if (a.next_despawn != b.next_despawn) {
      found.add(entity, name() + ": another entity despawns after it");
    }
  };
  if (!found.has_cause() && !found.is_full()) {
    visit_each(left, found, compare_order);
    if (left.state_.first_despawn != right.state_.first_despawn) {
      found.add({}, "another entity is the first to despawn");
    }
    compare_arrays(left, right, found);
    compare_slots(left.records_, right.records_, found);
    if (left.state_.first_free != right.state_.first_free) {
      found.add({}, "another slot is the next to be used");
    }
  }
  visit_each(left, found, [&](EntityId entity) {
    if (right.is_alive(entity)) find_tolerated(left, right, entity, found);
  });
}

}  // namespace muster
