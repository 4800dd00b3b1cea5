// Visits entities by the names of their components.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/session/game.h"
#include "runtime/world/world.h"

namespace muster {

/// Finds component types by name, and visits the entities that have all of the given types.
/// Entities are visited in the order of the first type's array. If all arrays have the same owners
/// in the same order, one call visits all entities. Reuses its memory in later calls. Walks can be
/// nested. Only one thread at a time may use this object.
class EntityWalk {
 public:
  explicit EntityWalk(const World& world) : world_(world) {}

  /// Returns the component type with this name, or nothing if the world does not have the type.
  /// Results are cached by the address of the text, so the text must be static.
  std::optional<ComponentId> find(std::string_view name);

  /// Calls `call` for the entities that have all of the given component types. `locate(ComponentId,
  /// index)` must return the component at an index of its array. The components of a type must be
  /// contiguous. Returns false and visits nothing if the world lacks one of the types. If `current`
  /// is not null, `*current` is set to each entity before that entity is visited.
  template <typename Locate>
  [[nodiscard]] bool visit(std::span<const session_detail::VisitedComponent> components,
                           void* visitor, session_detail::VisitRun call, const Locate& locate,
                           EntityId* current = nullptr);

  /// Does the same as `visit`, but only for the given entities, in the given order.
  template <typename Locate>
  [[nodiscard]] bool visit_some(std::span<const EntityId> entities,
                                std::span<const session_detail::VisitedComponent> components,
                                void* visitor, session_detail::VisitRun call, const Locate& locate,
                                EntityId* current = nullptr);

 private:
  /// The maximum number of component types in one walk.
  static constexpr std::size_t kComponentsMax = session_detail::kVisitedMax;
  static constexpr std::size_t kCacheSize = 256;
  struct Found {
    const char* text = nullptr;
    std::size_t size = 0;
    std::optional<ComponentId> id;
  };
  bool find_all(std::span<const session_detail::VisitedComponent> components,
                std::span<ComponentId> ids);
  bool are_aligned(std::span<const ComponentId> ids) const;

  const World& world_;
  std::vector<Found> cache_ = std::vector<Found>(kCacheSize);
};

template <typename Locate>
bool EntityWalk::visit(std::span<const session_detail::VisitedComponent> components, void* visitor,
                       session_detail::VisitRun call, const Locate& locate, EntityId* current) {
  std::array<ComponentId, kComponentsMax> found;
  const std::span<ComponentId> ids = std::span(found).first(components.size());
  if (!find_all(components, ids)) return false;
  const std::span<const EntityId> owners = world_.storage(ids[0]).owners();
  if (owners.empty()) return true;
  std::array<std::byte*, kComponentsMax> columns{};
  if (are_aligned(ids)) {
    for (std::size_t i = 0; i < ids.size(); ++i) columns[i] = locate(ids[i], 0);
    call(visitor,
         {owners.data(), columns.data(), static_cast<std::uint32_t>(owners.size()), current});
    return true;
  }
  for (std::uint32_t at = 0; at < owners.size(); ++at) {
    bool has_all = true;
    for (std::size_t i = 0; i < ids.size() && has_all; ++i) {
      const std::uint32_t index = world_.storage(ids[i]).index_of(owners[at]);
      has_all = index != ComponentStorage::kAbsent;
      if (has_all) columns[i] = locate(ids[i], index);
    }
    if (has_all) call(visitor, {&owners[at], columns.data(), 1, current});
  }
  return true;
}

template <typename Locate>
bool EntityWalk::visit_some(std::span<const EntityId> entities,
                            std::span<const session_detail::VisitedComponent> components,
                            void* visitor, session_detail::VisitRun call, const Locate& locate,
                            EntityId* current) {
  std::array<ComponentId, kComponentsMax> found;
  const std::span<ComponentId> ids = std::span(found).first(components.size());
  if (!find_all(components, ids)) return false;
  std::array<std::byte*, kComponentsMax> columns{};
  for (const EntityId& entity : entities) {
    bool has_all = true;
    for (std::size_t i = 0; i < ids.size() && has_all; ++i) {
      const std::uint32_t index = world_.storage(ids[i]).index_of(entity);
      has_all = index != ComponentStorage::kAbsent;
      if (has_all) columns[i] = locate(ids[i], index);
    }
    if (has_all) call(visitor, {&entity, columns.data(), 1, current});
  }
  return true;
}

}  // namespace muster
