// The changes are sorted by entity and kind. A change that the game has undone in the same tick is
// not reported: a parent counts only if it differs at the end, and a component counts only if the
// number of its changes is odd. The library pauses the watch while it removes entities, so an
// entity of the list that no longer exists was removed at the end of this tick.
#include "runtime/session/structure_check.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace muster {
namespace {

auto key_of(const StructureChange& change) {
  return std::tuple(change.entity, change.kind, change.component);
}

}  // namespace

void StructureCheck::run() {
  watch_.drain(changes_);
  std::ranges::sort(changes_, {}, [](const auto& one) {
    return std::tuple_cat(key_of(one), std::tuple(one.order));
  });
  EntityId created;
  for (std::size_t i = 0, end = 0; i < changes_.size(); i = end) {
    const StructureChange& first = changes_[i];
    while (end < changes_.size() && key_of(changes_[end]) == key_of(first)) ++end;
    if (first.kind == StructureChange::Kind::created) created = first.entity;
    check(first, end - i, first.entity == created);
  }
}

void StructureCheck::check(const StructureChange& first, std::size_t count, bool is_new) {
  using enum StructureChange::Kind;
  // The first change of a new entity is its creation, which also covers its later changes.
  if (is_new && first.kind != created) return;
  switch (first.kind) {
    case created:
    case parent:
      return check_parent(first);
    case despawn:
      return check_despawn(first);
    case component:
      return check_component(first, count);
  }
}

void StructureCheck::check_component(const StructureChange& first, std::size_t count) {
  const EntityId root = replicated_root(first.entity);
  if (root.is_null() || count % 2 == 0) return;
  const std::string& name = world_.storage(first.component).description().name;
  report(root, first.entity, name,
         world_.has(first.component, first.entity) ? "a component was added to"
                                                   : "a component was removed from",
         "its prefab decides which components clients have: change the prefab");
}

void StructureCheck::check_parent(const StructureChange& first) {
  const EntityId now = world_.parent(first.entity);
  if (!world_.is_alive(first.entity) || now == first.parent) return;
  if (simulation_.find_spawned(first.entity) != nullptr) {
    return report(first.entity, first.entity, {}, "the parent changed of",
                  "clients receive no parents: store the parent in a component");
  }
  if (const EntityId before = replicated_root(first.parent); !before.is_null()) {
    report(before, first.entity, {}, "a child was moved away from",
           "its prefab decides which children clients have");
  }
  if (const EntityId after = replicated_root(now); !after.is_null()) {
    report(after, first.entity, {}, "a child was added to",
           "its prefab decides which children clients have: put the child into the prefab, or "
           "spawn it as a separate entity");
  }
}

void StructureCheck::check_despawn(const StructureChange& first) {
  const EntityId root = replicated_root(first.parent);
  if (root.is_null()) return;
  report(root, world_.is_alive(first.entity) ? first.entity : root, {}, "a child despawned of",
         "clients keep the child: despawn the root instead");
}

EntityId StructureCheck::replicated_root(EntityId entity) const {
  while (!entity.is_null() && simulation_.find_spawned(entity) == nullptr) {
    entity = world_.parent(entity);
  }
  return entity;
}

void StructureCheck::report(EntityId root, EntityId entity, std::string_view component,
                            std::string_view change, std::string_view remedy) {
  const SpawnedEntity* const spawned = simulation_.find_spawned(root);
  problems_.add({.kind = ProblemKind::unsupported_change,
                 .tick = simulation_.tick(),
                 .entity = entity,
                 .component = std::string(component),
                 .text = std::string(change) + " an entity of " +
                         std::string(content_->path(spawned->type)) +
                         " through `world()`, and clients do not receive this change; " +
                         std::string(remedy)});
}

}  // namespace muster
