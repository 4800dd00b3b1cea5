#include <cassert>
#include <utility>

#include "runtime/world/snapshot_ring.h"

namespace muster {
namespace {

std::string called(const World& world, EntityId entity) {
  std::string text = "entity " + std::to_string(entity.slot());
  const std::string_view name = world.name(entity);
  if (!name.empty()) text += " '" + std::string(name) + "'";
  return text;
}

std::optional<std::string> component_difference(const World& left, const World& right,
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

// The first entity of a world that the other one does not have.
std::optional<WorldDifference> missing(const World& from, const World& in, const char* side) {
  std::optional<WorldDifference> found;
  from.each_entity([&](EntityId entity) {
    if (found || in.is_alive(entity)) return;
    found = {entity, called(from, entity) + " is only " + side};
  });
  return found;
}

}  // namespace

std::optional<WorldDifference> first_difference(const World& left, const World& right) {
  assert(left.component_type_count() == right.component_type_count());
  if (auto alone = missing(left, right, "left")) return alone;
  if (auto alone = missing(right, left, "right")) return alone;
  std::optional<WorldDifference> found;
  left.each_entity([&](EntityId entity) {
    if (found) return;
    std::optional<std::string> what;
    if (left.parent(entity) != right.parent(entity)) what = "it hangs under another parent";
    if (!what) what = component_difference(left, right, entity);
    if (what) found = {entity, called(left, entity) + ": " + *what};
  });
  return found;
}

}  // namespace muster
