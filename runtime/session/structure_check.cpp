// Compares the changed entities with what clients have: the members that the sender lists, and the
// components of their prefab. The library pauses the watch while it changes the world.
#include "runtime/session/structure_check.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "runtime/replication/members.h"

namespace muster {

void StructureCheck::run(const WorldSender& sender, Spawner& spawner) {
  watch_.drain(changes_);
  std::erase_if(changes_, [&](const StructureChange& change) {
    return replicated_root(change.entity).is_null() && replicated_root(change.parent).is_null();
  });
  std::ranges::sort(changes_, {}, [](const StructureChange& change) {
    return std::tuple(change.entity, change.component, change.order);
  });
  for (std::size_t i = 0, end = 0; i < changes_.size(); i = end) {
    while (end < changes_.size() && changes_[end].entity == changes_[i].entity) ++end;
    check(std::span(changes_).subspan(i, end - i), sender, spawner);
  }
}

void StructureCheck::check(std::span<const StructureChange> changes, const WorldSender& sender,
                           Spawner& spawner) {
  using enum StructureChange::Kind;
  const EntityId entity = changes.front().entity;
  const auto first = std::ranges::find_if(
      changes, [](const StructureChange& change) { return change.kind != component; });
  if (first != changes.end()) check_parent(entity, *first, sender);
  // Clients do not have an entity that the game has created.
  if (first != changes.end() && first->kind == created) return;
  ComponentId last = WorldChange::kNoComponent;
  for (const StructureChange& change : changes) {
    if (change.kind != component || change.component == last) continue;
    last = change.component;
    check_component(entity, last, sender, spawner);
  }
}

void StructureCheck::check_component(EntityId entity, ComponentId component,
                                     const WorldSender& sender, Spawner& spawner) {
  const EntityId root = replicated_root(entity);
  const std::optional<std::size_t> index = member(root, entity, sender);
  if (!index) return;
  const TypeId type = simulation_.find_spawned(root)->type;
  const ResolvedType* const resolved = spawner.store().resolve(content_->registry(), type);
  if (resolved == nullptr) return;
  const Result<const PrefabPlan*> plan = spawner.prepare(resolved->guid);
  if (!plan) return;
  const std::vector<std::uint32_t> planned = members_of(*plan.value());
  // A level can add children to an instance.
  if (sender.members(simulation_.find_spawned(root)->reference).size() != planned.size()) return;
  const PlannedEntity& expected = plan.value()->entities[planned[*index]];
  const auto components = std::span(plan.value()->components)
                              .subspan(expected.first_component, expected.component_count);
  const bool is_expected =
      std::ranges::find(components, component, &PlannedComponent::id) != components.end();
  const bool is_there = world_.has(component, entity);
  if (is_there == is_expected) return;
  report(root, entity, world_.storage(component).description().name,
         is_there ? "a component was added to" : "a component was removed from", "",
         "its prefab decides which components clients have: change the prefab");
}

void StructureCheck::check_parent(EntityId entity, const StructureChange& first,
                                  const WorldSender& sender) {
  const EntityId before = replicated_root(first.parent);
  const bool was_member = member(before, entity, sender).has_value();
  if (!world_.is_alive(entity)) {
    if (!was_member) return;
    return report(before, before, {}, "a child of", " despawned",
                  "clients keep the child: despawn the root instead");
  }
  const EntityId now = world_.parent(entity);
  const bool is_new = first.kind == StructureChange::Kind::created;
  if (!is_new && now == first.parent) return;
  if (simulation_.find_spawned(entity) != nullptr) {
    return report(entity, entity, {}, "the parent of", " changed",
                  "clients receive no parents: store the parent in a component");
  }
  if (was_member) {
    report(before, entity, {}, "a child was moved away from", "",
           "its prefab decides which children clients have");
  }
  const EntityId after = replicated_root(now);
  if (after.is_null() || (!is_new && member(after, entity, sender))) return;
  report(after, entity, {}, "a child was added to", "",
         "its prefab decides which children clients have: put the child into the prefab, or spawn "
         "it as a separate entity");
}

EntityId StructureCheck::replicated_root(EntityId entity) const {
  while (!entity.is_null() && simulation_.find_spawned(entity) == nullptr) {
    entity = world_.parent(entity);
  }
  return entity;
}

std::optional<std::size_t> StructureCheck::member(EntityId root, EntityId entity,
                                                  const WorldSender& sender) const {
  if (root.is_null()) return std::nullopt;
  const std::span<const Creation> members =
      sender.members(simulation_.find_spawned(root)->reference);
  const auto found = std::ranges::find(members, entity, &Creation::entity);
  if (found == members.end()) return std::nullopt;
  return static_cast<std::size_t>(found - members.begin());
}

void StructureCheck::report(EntityId root, EntityId entity, std::string_view component,
                            std::string_view what, std::string_view change,
                            std::string_view remedy) {
  const SpawnedEntity* const spawned = simulation_.find_spawned(root);
  problems_.add({.kind = ProblemKind::unsupported_change,
                 .tick = simulation_.tick(),
                 .entity = entity,
                 .component = std::string(component),
                 .text = std::string(what) + " an entity of " +
                         std::string(content_->path(spawned->type)) + std::string(change) +
                         " through `world()`, and clients do not receive this change; " +
                         std::string(remedy)});
}

}  // namespace muster
