#include "runtime/spawn/prefab_plan.h"

#include <algorithm>
#include <set>

namespace muster {
namespace {

constexpr std::string_view kRemedy =
    ": export the components of this game again, then run 'muster build'";

// Finds the component of the world for each description of the prefab.
Result<std::vector<ComponentId>> match_descriptions(const PrefabReader& prefab,
                                                    const World& world) {
  std::vector<ComponentId> ids;
  ids.reserve(prefab.description_count());
  for (std::uint32_t i = 0; i < prefab.description_count(); ++i) {
    const FlatDescription description = prefab.description(i);
    const std::string what = "component '" + std::string(description.name) + "' ";
    const std::optional<ComponentId> id = world.find_component(description.name);
    if (!id) {
      return fail(ErrorCode::not_found,
                  what +
                      "has values in the bundle, but this game does not describe it: add it to "
                      "Game::components, or export the components again and run 'muster build'");
    }
    const ComponentStorage& storage = world.storage(*id);
    // A forged bundle may have the correct hash but another size.
    if (storage.identity() != description.hash ||
        storage.stride_bytes() != description.size_bytes) {
      return fail(ErrorCode::hash_mismatch,
                  what + "was cooked with description " + description.hash.to_string() +
                      ", this game has " + storage.identity().to_string() + std::string(kRemedy));
    }
    ids.push_back(*id);
  }
  return ids;
}

bool has_component(const PrefabPlan& plan, const PlannedEntity& entity, ComponentId id) {
  const auto first = plan.components.begin() + entity.first_component;
  return std::any_of(first, plan.components.end(),
                     [&](const PlannedComponent& component) { return component.id == id; });
}

}  // namespace

Result<PrefabPlan> plan_prefab(const PrefabReader& prefab, World& world) {
  Result<std::vector<ComponentId>> ids = match_descriptions(prefab, world);
  if (!ids) return fail(ids.error());
  PrefabPlan plan;
  plan.entities.reserve(prefab.entity_count());
  for (std::uint32_t i = 0; i < prefab.entity_count(); ++i) {
    const FlatEntity flat = prefab.entity(i);
    PlannedEntity& entity = plan.entities.emplace_back();
    entity.source_id = flat.source_id;
    entity.parent = flat.parent;
    entity.name = world.intern_kept(flat.name);
    entity.is_active = flat.is_active;
    entity.first_component = static_cast<std::uint32_t>(plan.components.size());
    for (std::uint32_t c = 0; c < flat.component_count; ++c) {
      const FlatComponent component = prefab.component(flat.first_component + c);
      if (component.description == layout::kNone) {
        ++plan.other_components;
        continue;
      }
      const ComponentId id = ids.value()[component.description];
      if (has_component(plan, entity, id)) {
        return fail(ErrorCode::malformed,
                    "entity '" + std::string(flat.name) + "' has two components '" +
                        std::string(component.type) + "': put the second on a child");
      }
      plan.components.push_back({.id = id,
                                 .offset_bytes = static_cast<std::uint32_t>(plan.data.size()),
                                 .size_bytes = static_cast<std::uint32_t>(component.data.size())});
      plan.data.insert(plan.data.end(), component.data.begin(), component.data.end());
    }
    entity.component_count =
        static_cast<std::uint32_t>(plan.components.size()) - entity.first_component;
  }
  // Stores each type name once, not with each component. In a forged bundle, millions of components
  // could share one long name, and copies of that name would need gigabytes.
  for (std::uint32_t i = prefab.description_count(); i < prefab.type_count(); ++i) {
    plan.other_types.emplace_back(prefab.type_name(i));
  }
  return plan;
}

PrefabPlan plan_definition(const ObjectReader& object, std::string_view name, World& world) {
  PrefabPlan plan;
  PlannedEntity& entity = plan.entities.emplace_back();
  entity.name = world.intern_kept(name);
  std::set<std::string_view> types;
  for (std::uint32_t i = 0; i < object.document_count(); ++i) {
    types.insert(object.document(i).type_name);
  }
  plan.other_types.assign(types.begin(), types.end());
  plan.other_components = object.document_count();
  return plan;
}

std::vector<std::uint32_t> depth_first(const PrefabPlan& plan) {
  const auto count = static_cast<std::uint32_t>(plan.entities.size());
  std::vector<std::vector<std::uint32_t>> below(count);
  for (std::uint32_t i = 1; i < count; ++i) {
    if (plan.entities[i].parent != layout::kNone) below[plan.entities[i].parent].push_back(i);
  }
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> left;
  if (count != 0) left.push_back(0);
  while (!left.empty()) {
    const std::uint32_t entity = left.back();
    left.pop_back();
    order.push_back(entity);
    left.insert(left.end(), below[entity].rbegin(), below[entity].rend());
  }
  return order;
}

}  // namespace muster
